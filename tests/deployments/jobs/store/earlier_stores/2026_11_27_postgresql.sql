CREATE TABLE public.blobs (
    sha256 character varying(64) NOT NULL,
    size bigint NOT NULL,
    media_type character varying(100) NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE TABLE public.deliveries (
    id bigint NOT NULL,
    message_id character varying(40) NOT NULL,
    webhook_id character varying(40) NOT NULL,
    namespace character varying(200) NOT NULL,
    job_id character varying(40) NOT NULL,
    kind character varying(40) NOT NULL,
    url text NOT NULL,
    secret text,
    headers json NOT NULL,
    body text NOT NULL,
    attempts integer NOT NULL,
    next_at double precision NOT NULL,
    error text,
    dead boolean NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.deliveries_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.deliveries_id_seq OWNED BY public.deliveries.id;
CREATE TABLE public.events (
    id bigint NOT NULL,
    job_id character varying(40) NOT NULL,
    kind character varying(40) NOT NULL,
    body json NOT NULL,
    created_at timestamp with time zone NOT NULL
);
CREATE SEQUENCE public.events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.events_id_seq OWNED BY public.events.id;
CREATE TABLE public.extractions (
    id character varying(40) NOT NULL,
    namespace character varying(200) NOT NULL,
    document_id character varying(200) NOT NULL,
    job_id character varying(40) NOT NULL,
    revision integer NOT NULL,
    schema json NOT NULL,
    pages text,
    status character varying(20) NOT NULL,
    attempt integer NOT NULL,
    calls_done integer NOT NULL,
    calls_total integer,
    result text,
    error json,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);
CREATE TABLE public.jobs (
    id character varying(40) NOT NULL,
    namespace character varying(200) NOT NULL,
    document_id character varying(200) NOT NULL,
    revision integer NOT NULL,
    attempt integer NOT NULL,
    request_key character varying(64) NOT NULL,
    sha256 character varying(64) NOT NULL,
    media_type character varying(100) NOT NULL,
    file_name text NOT NULL,
    options json NOT NULL,
    status character varying(20) NOT NULL,
    num_pages integer,
    opened json,
    warnings json NOT NULL,
    error json,
    timings json NOT NULL,
    created_at timestamp with time zone NOT NULL,
    finished_at timestamp with time zone
);
CREATE TABLE public.lease (
    name character varying(20) NOT NULL,
    owner character varying(40) NOT NULL,
    until double precision NOT NULL
);
CREATE TABLE public.pages (
    job_id character varying(40) NOT NULL,
    number integer NOT NULL,
    status character varying(20) NOT NULL,
    attempt integer NOT NULL,
    result text,
    text_source character varying(20),
    warnings json NOT NULL,
    error json,
    timings json NOT NULL
);
CREATE TABLE public.quotas (
    job_id character varying(40) NOT NULL,
    max_unfinished integer NOT NULL
);
CREATE TABLE public.submissions (
    namespace character varying(200) NOT NULL,
    name character varying(300) NOT NULL,
    job_id character varying(40) NOT NULL,
    request_key character varying(64) NOT NULL,
    at timestamp with time zone NOT NULL
);
CREATE TABLE public.webhooks (
    id character varying(40) NOT NULL,
    job_id character varying(40) NOT NULL,
    subscription json NOT NULL
);
ALTER TABLE ONLY public.deliveries ALTER COLUMN id SET DEFAULT nextval('public.deliveries_id_seq'::regclass);
ALTER TABLE ONLY public.events ALTER COLUMN id SET DEFAULT nextval('public.events_id_seq'::regclass);
INSERT INTO public.blobs VALUES ('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 3, 'application/pdf', '2026-11-27 10:00:16.084548+00');
INSERT INTO public.blobs VALUES ('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 3, 'application/pdf', '2026-11-27 10:00:16.136971+00');
INSERT INTO public.blobs VALUES ('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 3, 'application/pdf', '2026-11-27 10:00:16.16836+00');
INSERT INTO public.blobs VALUES ('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 3, 'application/pdf', '2026-11-27 10:00:16.180354+00');
INSERT INTO public.blobs VALUES ('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 3, 'application/pdf', '2026-11-27 10:00:16.186589+00');
INSERT INTO public.deliveries VALUES (2, 'msg_649bde9e0e884abf9b0597b32d823fc7', 'f8e70bbe17e7473f9f4dbd8983786763', 'tenant', 'job_ae49a460809a41d1b04b092b5d539f2a', 'task', 'https://example.com/docling', NULL, '{"authorization": "Bearer x"}', '{"task_id": "job_ae49a460809a41d1b04b092b5d539f2a.job_acf466a01c754d77a90815bb398e51c6~e30", "progress": {"kind": "set_num_docs", "num_docs": 2}}', 0, 1795773616.210758, NULL, false, '2026-11-27 10:00:16.210759+00');
INSERT INTO public.deliveries VALUES (3, 'msg_8334e63892194632a2c4112f318bf4cc', 'f8e70bbe17e7473f9f4dbd8983786763', 'tenant', 'job_ae49a460809a41d1b04b092b5d539f2a', 'task', 'https://example.com/docling', NULL, '{"authorization": "Bearer x"}', '{"task_id": "job_ae49a460809a41d1b04b092b5d539f2a.job_acf466a01c754d77a90815bb398e51c6~e30", "progress": {"kind": "document_completed", "document": {"source": "d.pdf", "status": "success", "num_pages": 1, "processing_time": 2.0, "doc_hash": "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd", "error": null}, "total_processed": 1, "total_docs": 2}}', 0, 1795773616.210777, NULL, false, '2026-11-27 10:00:16.210777+00');
INSERT INTO public.deliveries VALUES (1, 'msg_11e03aa5212345419db944bb7ae288db', 'ff7991e1db01487396bbae14b67e6db2', 'tenant', 'job_a86c92c71a774f6aba8dccd821a5f30e', 'succeeded', 'https://example.com/hook', NULL, '{}', '{"type": "job.succeeded", "timestamp": "2026-11-27T10:00:16.133560+00:00", "data": {"job_id": "job_a86c92c71a774f6aba8dccd821a5f30e", "document_id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "revision": 1, "file_name": "a.pdf", "error": null, "timings": {"total_s": 1.0}, "warnings": []}}', 1, 1795773616.2576263, 'it answered 410', true, '2026-11-27 10:00:16.13363+00');
INSERT INTO public.events VALUES (1, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'queued', '{}', '2026-11-27 10:00:16.099985+00');
INSERT INTO public.events VALUES (2, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'running', '{"num_pages": 2, "pages": 2, "warnings": []}', '2026-11-27 10:00:16.112222+00');
INSERT INTO public.events VALUES (3, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'page_started', '{"number": 1, "stage": "reading"}', '2026-11-27 10:00:16.116131+00');
INSERT INTO public.events VALUES (4, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'page', '{"number": 1, "status": "succeeded", "timings": {"layout_s": 0.1}, "warnings": []}', '2026-11-27 10:00:16.120754+00');
INSERT INTO public.events VALUES (5, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'page_started', '{"number": 2, "stage": "reading"}', '2026-11-27 10:00:16.123866+00');
INSERT INTO public.events VALUES (6, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'page', '{"number": 2, "status": "succeeded", "timings": {"layout_s": 0.1}, "warnings": []}', '2026-11-27 10:00:16.12718+00');
INSERT INTO public.events VALUES (7, 'job_a86c92c71a774f6aba8dccd821a5f30e', 'succeeded', '{"error": null, "timings": {"total_s": 1.0}, "warnings": []}', '2026-11-27 10:00:16.131256+00');
INSERT INTO public.events VALUES (8, 'job_77b1a580c9f54a399661de7cfbf36c7a', 'queued', '{}', '2026-11-27 10:00:16.14372+00');
INSERT INTO public.events VALUES (9, 'job_77b1a580c9f54a399661de7cfbf36c7a', 'running', '{"num_pages": 3, "pages": 3, "warnings": []}', '2026-11-27 10:00:16.154958+00');
INSERT INTO public.events VALUES (10, 'job_77b1a580c9f54a399661de7cfbf36c7a', 'page_started', '{"number": 1, "stage": "reading"}', '2026-11-27 10:00:16.159363+00');
INSERT INTO public.events VALUES (11, 'job_77b1a580c9f54a399661de7cfbf36c7a', 'page', '{"number": 1, "status": "succeeded", "timings": {}, "warnings": []}', '2026-11-27 10:00:16.163159+00');
INSERT INTO public.events VALUES (12, 'job_77b1a580c9f54a399661de7cfbf36c7a', 'page_started', '{"number": 2, "stage": "reading"}', '2026-11-27 10:00:16.166011+00');
INSERT INTO public.events VALUES (13, 'job_228f6d1146944a3ba2e562226cdf5cee', 'queued', '{}', '2026-11-27 10:00:16.172757+00');
INSERT INTO public.events VALUES (14, 'job_228f6d1146944a3ba2e562226cdf5cee', 'failed', '{"error": {"code": "unreadable_pdf", "status": 422, "message": "x", "retryable": false}, "timings": {}, "warnings": []}', '2026-11-27 10:00:16.177819+00');
INSERT INTO public.events VALUES (15, 'job_ae49a460809a41d1b04b092b5d539f2a', 'queued', '{}', '2026-11-27 10:00:16.184242+00');
INSERT INTO public.events VALUES (16, 'job_acf466a01c754d77a90815bb398e51c6', 'queued', '{}', '2026-11-27 10:00:16.190536+00');
INSERT INTO public.events VALUES (17, 'job_ae49a460809a41d1b04b092b5d539f2a', 'running', '{"num_pages": 1, "pages": 1, "warnings": []}', '2026-11-27 10:00:16.196332+00');
INSERT INTO public.events VALUES (18, 'job_ae49a460809a41d1b04b092b5d539f2a', 'page', '{"number": 1, "status": "succeeded", "timings": {}, "warnings": []}', '2026-11-27 10:00:16.200191+00');
INSERT INTO public.events VALUES (19, 'job_ae49a460809a41d1b04b092b5d539f2a', 'succeeded', '{"error": null, "timings": {"total_s": 2.0}, "warnings": []}', '2026-11-27 10:00:16.203298+00');
INSERT INTO public.extractions VALUES ('ext_d1c8a749f06047ea8a3995bf307dd46b', 'tenant', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'job_a86c92c71a774f6aba8dccd821a5f30e', 1, '{"type": "object", "properties": {"total": {"type": "number"}}}', '1', 'succeeded', 1, 2, 2, '{"values": {"total": 3}}', 'null', '2026-11-27 10:00:16.21538+00', '2026-11-27 10:00:16.226464+00');
INSERT INTO public.extractions VALUES ('ext_3ac4acab7e1f4f2e9efd97805f50d244', 'tenant', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'job_a86c92c71a774f6aba8dccd821a5f30e', 1, '{"type": "object", "properties": {"total": {"type": "number"}}}', '1', 'running', 1, 1, 4, NULL, NULL, '2026-11-27 10:00:16.230816+00', NULL);
INSERT INTO public.extractions VALUES ('ext_f4b27764b5834c87861a8481a7f1bf6b', 'tenant', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'job_a86c92c71a774f6aba8dccd821a5f30e', 1, '{"type": "object", "properties": {"total": {"type": "number"}}}', '1', 'queued', 0, 0, NULL, NULL, NULL, '2026-11-27 10:00:16.239748+00', NULL);
INSERT INTO public.extractions VALUES ('ext_2b94482574224e919fece038c2295466', 'tenant', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'job_a86c92c71a774f6aba8dccd821a5f30e', 1, '{"type": "object", "properties": {"total": {"type": "number"}}}', '1', 'failed', 0, 0, NULL, NULL, '{"code": "no_model", "status": 422, "message": "y", "retryable": false}', '2026-11-27 10:00:16.243469+00', '2026-11-27 10:00:16.246017+00');
INSERT INTO public.jobs VALUES ('job_a86c92c71a774f6aba8dccd821a5f30e', 'tenant', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1, 1, '469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'application/pdf', 'a.pdf', '{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "webhook": null, "cancel_on_disconnect": false}', 'succeeded', 2, '{"num_pages": 2, "pixel_size": null, "metadata": {}, "outline": [], "warnings": [], "page_labels": [], "attachments": [], "invoice": null}', '[]', 'null', '{"total_s": 1.0}', '2026-11-27 10:00:16.084548+00', '2026-11-27 10:00:16.13025+00');
INSERT INTO public.jobs VALUES ('job_77b1a580c9f54a399661de7cfbf36c7a', 'tenant', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 1, 1, '08486860ae89efb7025dfd3942b5a33950f0efc36c47ca2e2f881769cf07913b', 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'application/pdf', 'b.pdf', '{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": "secret", "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "cancel_on_disconnect": false}', 'running', 3, '{"num_pages": 3, "pixel_size": null, "metadata": {}, "outline": [], "warnings": [], "page_labels": [], "attachments": [], "invoice": null}', '[]', NULL, '{}', '2026-11-27 10:00:16.136971+00', NULL);
INSERT INTO public.jobs VALUES ('job_228f6d1146944a3ba2e562226cdf5cee', 'tenant', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 1, 1, 'd05749a474fd41e7e2b27d91002c9fa9a3d3bb4afad5aab61782a97d462a3c96', 'cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc', 'application/pdf', 'c.pdf', '{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "webhook": null, "cancel_on_disconnect": false}', 'failed', NULL, NULL, '[]', '{"code": "unreadable_pdf", "status": 422, "message": "x", "retryable": false}', '{}', '2026-11-27 10:00:16.16836+00', '2026-11-27 10:00:16.177107+00');
INSERT INTO public.jobs VALUES ('job_acf466a01c754d77a90815bb398e51c6', 'tenant', 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 1, 1, '3dd5544859076e82c785efd82731d885010e33ba7972fdb066af304cad081725', 'eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee', 'application/pdf', 'e.pdf', '{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "cancel_on_disconnect": false}', 'queued', NULL, NULL, '[]', NULL, '{}', '2026-11-27 10:00:16.186589+00', NULL);
INSERT INTO public.jobs VALUES ('job_ae49a460809a41d1b04b092b5d539f2a', 'tenant', 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 1, 1, 'e338d80b49cadeb1ae56b4958cc452d33b6d5f894d36ee05c82071842764cf44', 'dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd', 'application/pdf', 'd.pdf', '{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "webhook": null, "cancel_on_disconnect": false}', 'succeeded', 1, '{"num_pages": 1, "pixel_size": null, "metadata": {}, "outline": [], "warnings": [], "page_labels": [], "attachments": [], "invoice": null}', '[]', 'null', '{"total_s": 2.0}', '2026-11-27 10:00:16.180354+00', '2026-11-27 10:00:16.202707+00');
INSERT INTO public.pages VALUES ('job_a86c92c71a774f6aba8dccd821a5f30e', 1, 'succeeded', 1, '{"number":1,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 1","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}', 'text_layer', '[]', NULL, '{"layout_s": 0.1}');
INSERT INTO public.pages VALUES ('job_a86c92c71a774f6aba8dccd821a5f30e', 2, 'succeeded', 1, '{"number":2,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 2","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}', 'text_layer', '[]', NULL, '{"layout_s": 0.1}');
INSERT INTO public.pages VALUES ('job_77b1a580c9f54a399661de7cfbf36c7a', 2, 'queued', 1, NULL, NULL, '[]', NULL, '{}');
INSERT INTO public.pages VALUES ('job_77b1a580c9f54a399661de7cfbf36c7a', 3, 'queued', 1, NULL, NULL, '[]', NULL, '{}');
INSERT INTO public.pages VALUES ('job_77b1a580c9f54a399661de7cfbf36c7a', 1, 'succeeded', 1, '{"number":1,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 1","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}', 'text_layer', '[]', NULL, '{}');
INSERT INTO public.pages VALUES ('job_ae49a460809a41d1b04b092b5d539f2a', 1, 'succeeded', 1, '{"number":1,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 1","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}', 'text_layer', '[]', NULL, '{}');
INSERT INTO public.submissions VALUES ('tenant', 'same:469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e', 'job_a86c92c71a774f6aba8dccd821a5f30e', '469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e', '2026-11-27 10:00:16.084548+00');
INSERT INTO public.submissions VALUES ('tenant', 'key:k', 'job_a86c92c71a774f6aba8dccd821a5f30e', '469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e', '2026-11-27 10:00:16.084548+00');
INSERT INTO public.submissions VALUES ('tenant', 'same:08486860ae89efb7025dfd3942b5a33950f0efc36c47ca2e2f881769cf07913b', 'job_77b1a580c9f54a399661de7cfbf36c7a', '08486860ae89efb7025dfd3942b5a33950f0efc36c47ca2e2f881769cf07913b', '2026-11-27 10:00:16.136971+00');
INSERT INTO public.submissions VALUES ('tenant', 'same:d05749a474fd41e7e2b27d91002c9fa9a3d3bb4afad5aab61782a97d462a3c96', 'job_228f6d1146944a3ba2e562226cdf5cee', 'd05749a474fd41e7e2b27d91002c9fa9a3d3bb4afad5aab61782a97d462a3c96', '2026-11-27 10:00:16.16836+00');
INSERT INTO public.submissions VALUES ('tenant', 'same:e338d80b49cadeb1ae56b4958cc452d33b6d5f894d36ee05c82071842764cf44', 'job_ae49a460809a41d1b04b092b5d539f2a', 'e338d80b49cadeb1ae56b4958cc452d33b6d5f894d36ee05c82071842764cf44', '2026-11-27 10:00:16.180354+00');
INSERT INTO public.submissions VALUES ('tenant', 'same:3dd5544859076e82c785efd82731d885010e33ba7972fdb066af304cad081725', 'job_acf466a01c754d77a90815bb398e51c6', '3dd5544859076e82c785efd82731d885010e33ba7972fdb066af304cad081725', '2026-11-27 10:00:16.186589+00');
INSERT INTO public.webhooks VALUES ('ff7991e1db01487396bbae14b67e6db2', 'job_a86c92c71a774f6aba8dccd821a5f30e', '{"webhook": {"url": "https://example.com/hook", "secret": "0123456789abcdef", "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {}, "docling_task": null, "order": null}');
INSERT INTO public.webhooks VALUES ('6efbbc94b5b740a2bf9ce2ec2c46341a', 'job_77b1a580c9f54a399661de7cfbf36c7a', '{"webhook": {"url": "https://example.com/other", "secret": null, "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {}, "docling_task": null, "order": null}');
INSERT INTO public.webhooks VALUES ('469f5e1ce9814367811532ec26bfb63b', 'job_ae49a460809a41d1b04b092b5d539f2a', '{"webhook": {"url": "https://example.com/docling", "secret": null, "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {"authorization": "Bearer x"}, "docling_task": "job_ae49a460809a41d1b04b092b5d539f2a.job_acf466a01c754d77a90815bb398e51c6~e30", "order": "f8e70bbe17e7473f9f4dbd8983786763"}');
INSERT INTO public.webhooks VALUES ('7bec4afaa88741369a3f456113ed5b5a', 'job_acf466a01c754d77a90815bb398e51c6', '{"webhook": {"url": "https://example.com/docling", "secret": null, "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {"authorization": "Bearer x"}, "docling_task": "job_ae49a460809a41d1b04b092b5d539f2a.job_acf466a01c754d77a90815bb398e51c6~e30", "order": "f8e70bbe17e7473f9f4dbd8983786763"}');
SELECT pg_catalog.setval('public.deliveries_id_seq', 3, true);
SELECT pg_catalog.setval('public.events_id_seq', 19, true);
ALTER TABLE ONLY public.blobs
    ADD CONSTRAINT blobs_pkey PRIMARY KEY (sha256);
ALTER TABLE ONLY public.deliveries
    ADD CONSTRAINT deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.extractions
    ADD CONSTRAINT extractions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.jobs
    ADD CONSTRAINT jobs_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_pkey PRIMARY KEY (job_id, number);
ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_pkey PRIMARY KEY (job_id);
ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_pkey PRIMARY KEY (namespace, name);
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_pkey PRIMARY KEY (id);
CREATE INDEX deliveries_by_namespace ON public.deliveries USING btree (namespace, dead);
CREATE INDEX deliveries_by_time ON public.deliveries USING btree (dead, next_at);
CREATE INDEX events_by_job ON public.events USING btree (job_id, id);
CREATE INDEX extractions_by_document ON public.extractions USING btree (namespace, document_id);
CREATE INDEX extractions_by_job ON public.extractions USING btree (job_id);
CREATE INDEX extractions_by_status ON public.extractions USING btree (status);
CREATE INDEX jobs_by_blob ON public.jobs USING btree (sha256);
CREATE INDEX jobs_by_document ON public.jobs USING btree (namespace, document_id, revision);
CREATE INDEX jobs_by_request ON public.jobs USING btree (namespace, request_key);
CREATE INDEX jobs_by_status ON public.jobs USING btree (status);
CREATE INDEX submissions_by_job ON public.submissions USING btree (job_id);
CREATE INDEX webhooks_by_job ON public.webhooks USING btree (job_id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.extractions
    ADD CONSTRAINT extractions_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.pages
    ADD CONSTRAINT pages_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.quotas
    ADD CONSTRAINT quotas_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.submissions
    ADD CONSTRAINT submissions_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhooks
    ADD CONSTRAINT webhooks_job_id_fkey FOREIGN KEY (job_id) REFERENCES public.jobs(id) ON DELETE CASCADE;
