PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE jobs (
	id VARCHAR(40) NOT NULL, 
	namespace VARCHAR(200) NOT NULL, 
	document_id VARCHAR(200) NOT NULL, 
	revision INTEGER NOT NULL, 
	attempt INTEGER NOT NULL, 
	request_key VARCHAR(64) NOT NULL, 
	sha256 VARCHAR(64) NOT NULL, 
	media_type VARCHAR(100) NOT NULL, 
	file_name TEXT NOT NULL, 
	options JSON NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	num_pages INTEGER, 
	opened JSON, 
	warnings JSON NOT NULL, 
	error JSON, 
	timings JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	PRIMARY KEY (id)
);
INSERT INTO jobs VALUES('job_a093372375444c5d910e16e29e208e94','tenant','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',1,1,'469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','application/pdf','a.pdf','{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "webhook": null, "cancel_on_disconnect": false}','succeeded',2,'{"num_pages": 2, "pixel_size": null, "metadata": {}, "outline": [], "warnings": [], "page_labels": [], "attachments": [], "invoice": null}','[]','null','{"total_s": 1.0}','2026-11-27 10:00:07.406545','2026-11-27 10:00:07.425485');
INSERT INTO jobs VALUES('job_02298d8f38b74fb299f02eb33f5c8060','tenant','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',1,1,'08486860ae89efb7025dfd3942b5a33950f0efc36c47ca2e2f881769cf07913b','bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb','application/pdf','b.pdf','{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": "secret", "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "cancel_on_disconnect": false}','running',3,'{"num_pages": 3, "pixel_size": null, "metadata": {}, "outline": [], "warnings": [], "page_labels": [], "attachments": [], "invoice": null}','[]',NULL,'{}','2026-11-27 10:00:07.428405',NULL);
INSERT INTO jobs VALUES('job_e61722e17ccd460987b6fec3f850cce4','tenant','cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',1,1,'d05749a474fd41e7e2b27d91002c9fa9a3d3bb4afad5aab61782a97d462a3c96','cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc','application/pdf','c.pdf','{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "webhook": null, "cancel_on_disconnect": false}','failed',NULL,NULL,'[]','{"code": "unreadable_pdf", "status": 422, "message": "x", "retryable": false}','{}','2026-11-27 10:00:07.437039','2026-11-27 10:00:07.440190');
INSERT INTO jobs VALUES('job_fc80cbd2c3644233b0ed569ee41a2c25','tenant','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',1,1,'e338d80b49cadeb1ae56b4958cc452d33b6d5f894d36ee05c82071842764cf44','dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd','application/pdf','d.pdf','{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "webhook": null, "cancel_on_disconnect": false}','succeeded',1,'{"num_pages": 1, "pixel_size": null, "metadata": {}, "outline": [], "warnings": [], "page_labels": [], "attachments": [], "invoice": null}','[]','null','{"total_s": 2.0}','2026-11-27 10:00:07.441423','2026-11-27 10:00:07.449723');
INSERT INTO jobs VALUES('job_ef47181ec3a74d488941cafc377dc0b5','tenant','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',1,1,'3dd5544859076e82c785efd82731d885010e33ba7972fdb066af304cad081725','eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee','application/pdf','e.pdf','{"pages": null, "text_source": "auto", "ocr_mode": "plain", "password": null, "metadata": {}, "document_id": null, "attachments": "pages", "index": true, "deadline_s": null, "page_deadline_s": null, "cancel_on_disconnect": false}','queued',NULL,NULL,'[]',NULL,'{}','2026-11-27 10:00:07.443908',NULL);
CREATE TABLE deliveries (
	id INTEGER NOT NULL, 
	message_id VARCHAR(40) NOT NULL, 
	webhook_id VARCHAR(40) NOT NULL, 
	namespace VARCHAR(200) NOT NULL, 
	job_id VARCHAR(40) NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	url TEXT NOT NULL, 
	secret TEXT, 
	headers JSON NOT NULL, 
	body TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at FLOAT NOT NULL, 
	error TEXT, 
	dead BOOLEAN NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO deliveries VALUES(1,'msg_1fd7996877b84eefa37ec904c48966de','2cb65d76fde14e2e8651ba70141f1089','tenant','job_a093372375444c5d910e16e29e208e94','succeeded','https://example.com/hook',NULL,'{}','{"type": "job.succeeded", "timestamp": "2026-11-27T10:00:07.426824+00:00", "data": {"job_id": "job_a093372375444c5d910e16e29e208e94", "document_id": "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "revision": 1, "file_name": "a.pdf", "error": null, "timings": {"total_s": 1.0}, "warnings": []}}',1,1795773607.4735364913,'it answered 410',1,'2026-11-27 10:00:07.426887');
INSERT INTO deliveries VALUES(2,'msg_7241e1f7d8fe4befa36c936b5ea9f1ae','7d72da905dff485cad4ee1ed3332160d','tenant','job_fc80cbd2c3644233b0ed569ee41a2c25','task','https://example.com/docling',NULL,'{"authorization": "Bearer x"}','{"task_id": "job_fc80cbd2c3644233b0ed569ee41a2c25.job_ef47181ec3a74d488941cafc377dc0b5~e30", "progress": {"kind": "set_num_docs", "num_docs": 2}}',0,1795773607.4524416922,NULL,0,'2026-11-27 10:00:07.452442');
INSERT INTO deliveries VALUES(3,'msg_5f5299fb43144c8d82b0c6f51ff1d578','7d72da905dff485cad4ee1ed3332160d','tenant','job_fc80cbd2c3644233b0ed569ee41a2c25','task','https://example.com/docling',NULL,'{"authorization": "Bearer x"}','{"task_id": "job_fc80cbd2c3644233b0ed569ee41a2c25.job_ef47181ec3a74d488941cafc377dc0b5~e30", "progress": {"kind": "document_completed", "document": {"source": "d.pdf", "status": "success", "num_pages": 1, "processing_time": 2.0, "doc_hash": "dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd", "error": null}, "total_processed": 1, "total_docs": 2}}',0,1795773607.4524598121,NULL,0,'2026-11-27 10:00:07.452459');
CREATE TABLE blobs (
	sha256 VARCHAR(64) NOT NULL, 
	size BIGINT NOT NULL, 
	media_type VARCHAR(100) NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (sha256)
);
INSERT INTO blobs VALUES('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',3,'application/pdf','2026-11-27 10:00:07.406545');
INSERT INTO blobs VALUES('bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',3,'application/pdf','2026-11-27 10:00:07.428405');
INSERT INTO blobs VALUES('cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc',3,'application/pdf','2026-11-27 10:00:07.437039');
INSERT INTO blobs VALUES('dddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddddd',3,'application/pdf','2026-11-27 10:00:07.441423');
INSERT INTO blobs VALUES('eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',3,'application/pdf','2026-11-27 10:00:07.443908');
CREATE TABLE lease (
	name VARCHAR(20) NOT NULL, 
	owner VARCHAR(40) NOT NULL, 
	until FLOAT NOT NULL, 
	PRIMARY KEY (name)
);
CREATE TABLE quotas (
	job_id VARCHAR(40) NOT NULL, 
	max_unfinished INTEGER NOT NULL, 
	PRIMARY KEY (job_id), 
	FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
CREATE TABLE submissions (
	namespace VARCHAR(200) NOT NULL, 
	name VARCHAR(300) NOT NULL, 
	job_id VARCHAR(40) NOT NULL, 
	request_key VARCHAR(64) NOT NULL, 
	at DATETIME NOT NULL, 
	PRIMARY KEY (namespace, name), 
	FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
INSERT INTO submissions VALUES('tenant','same:469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e','job_a093372375444c5d910e16e29e208e94','469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e','2026-11-27 10:00:07.406545');
INSERT INTO submissions VALUES('tenant','key:k','job_a093372375444c5d910e16e29e208e94','469cc68a880570804cea6efe8225c798312603faec26ece104a4cf77beecfa6e','2026-11-27 10:00:07.406545');
INSERT INTO submissions VALUES('tenant','same:08486860ae89efb7025dfd3942b5a33950f0efc36c47ca2e2f881769cf07913b','job_02298d8f38b74fb299f02eb33f5c8060','08486860ae89efb7025dfd3942b5a33950f0efc36c47ca2e2f881769cf07913b','2026-11-27 10:00:07.428405');
INSERT INTO submissions VALUES('tenant','same:d05749a474fd41e7e2b27d91002c9fa9a3d3bb4afad5aab61782a97d462a3c96','job_e61722e17ccd460987b6fec3f850cce4','d05749a474fd41e7e2b27d91002c9fa9a3d3bb4afad5aab61782a97d462a3c96','2026-11-27 10:00:07.437039');
INSERT INTO submissions VALUES('tenant','same:e338d80b49cadeb1ae56b4958cc452d33b6d5f894d36ee05c82071842764cf44','job_fc80cbd2c3644233b0ed569ee41a2c25','e338d80b49cadeb1ae56b4958cc452d33b6d5f894d36ee05c82071842764cf44','2026-11-27 10:00:07.441423');
INSERT INTO submissions VALUES('tenant','same:3dd5544859076e82c785efd82731d885010e33ba7972fdb066af304cad081725','job_ef47181ec3a74d488941cafc377dc0b5','3dd5544859076e82c785efd82731d885010e33ba7972fdb066af304cad081725','2026-11-27 10:00:07.443908');
CREATE TABLE pages (
	job_id VARCHAR(40) NOT NULL, 
	number INTEGER NOT NULL, 
	status VARCHAR(20) NOT NULL, 
	attempt INTEGER NOT NULL, 
	result TEXT, 
	text_source VARCHAR(20), 
	warnings JSON NOT NULL, 
	error JSON, 
	timings JSON NOT NULL, 
	PRIMARY KEY (job_id, number), 
	FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
INSERT INTO pages VALUES('job_a093372375444c5d910e16e29e208e94',1,'succeeded',1,'{"number":1,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 1","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}','text_layer','[]',NULL,'{"layout_s": 0.1}');
INSERT INTO pages VALUES('job_a093372375444c5d910e16e29e208e94',2,'succeeded',1,'{"number":2,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 2","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}','text_layer','[]',NULL,'{"layout_s": 0.1}');
INSERT INTO pages VALUES('job_02298d8f38b74fb299f02eb33f5c8060',1,'succeeded',1,'{"number":1,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 1","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}','text_layer','[]',NULL,'{}');
INSERT INTO pages VALUES('job_02298d8f38b74fb299f02eb33f5c8060',2,'queued',1,NULL,NULL,'[]',NULL,'{}');
INSERT INTO pages VALUES('job_02298d8f38b74fb299f02eb33f5c8060',3,'queued',1,NULL,NULL,'[]',NULL,'{}');
INSERT INTO pages VALUES('job_fc80cbd2c3644233b0ed569ee41a2c25',1,'succeeded',1,'{"number":1,"size":[10.0,10.0],"form":"print","name":"","rotation":0,"regions":[{"kind":"plain text","box":{"x0":1.0,"y0":1.0,"x1":9.0,"y1":9.0},"score":1.0,"spans":[],"text":"word 1","text_source":"text_layer","reader":null,"reason":"","origin":"","rules":[],"confidence":null,"unreadable":[],"angle":0,"heading":null,"furniture":null,"order":0,"links":[],"struck":[],"formulas":[],"unproved":[],"scripts":[],"place":null,"code":false,"continues":false,"items":[],"note":null}],"dropped":[],"warnings":[],"fields":[],"annotations":[]}','text_layer','[]',NULL,'{}');
CREATE TABLE events (
	id INTEGER NOT NULL, 
	job_id VARCHAR(40) NOT NULL, 
	kind VARCHAR(40) NOT NULL, 
	body JSON NOT NULL, 
	created_at DATETIME NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
INSERT INTO events VALUES(1,'job_a093372375444c5d910e16e29e208e94','queued','{}','2026-11-27 10:00:07.413074');
INSERT INTO events VALUES(2,'job_a093372375444c5d910e16e29e208e94','running','{"num_pages": 2, "pages": 2, "warnings": []}','2026-11-27 10:00:07.417699');
INSERT INTO events VALUES(3,'job_a093372375444c5d910e16e29e208e94','page_started','{"number": 1, "stage": "reading"}','2026-11-27 10:00:07.419350');
INSERT INTO events VALUES(4,'job_a093372375444c5d910e16e29e208e94','page','{"number": 1, "status": "succeeded", "timings": {"layout_s": 0.1}, "warnings": []}','2026-11-27 10:00:07.421572');
INSERT INTO events VALUES(5,'job_a093372375444c5d910e16e29e208e94','page_started','{"number": 2, "stage": "reading"}','2026-11-27 10:00:07.422755');
INSERT INTO events VALUES(6,'job_a093372375444c5d910e16e29e208e94','page','{"number": 2, "status": "succeeded", "timings": {"layout_s": 0.1}, "warnings": []}','2026-11-27 10:00:07.424130');
INSERT INTO events VALUES(7,'job_a093372375444c5d910e16e29e208e94','succeeded','{"error": null, "timings": {"total_s": 1.0}, "warnings": []}','2026-11-27 10:00:07.425975');
INSERT INTO events VALUES(8,'job_02298d8f38b74fb299f02eb33f5c8060','queued','{}','2026-11-27 10:00:07.430591');
INSERT INTO events VALUES(9,'job_02298d8f38b74fb299f02eb33f5c8060','running','{"num_pages": 3, "pages": 3, "warnings": []}','2026-11-27 10:00:07.432495');
INSERT INTO events VALUES(10,'job_02298d8f38b74fb299f02eb33f5c8060','page_started','{"number": 1, "stage": "reading"}','2026-11-27 10:00:07.433757');
INSERT INTO events VALUES(11,'job_02298d8f38b74fb299f02eb33f5c8060','page','{"number": 1, "status": "succeeded", "timings": {}, "warnings": []}','2026-11-27 10:00:07.435088');
INSERT INTO events VALUES(12,'job_02298d8f38b74fb299f02eb33f5c8060','page_started','{"number": 2, "stage": "reading"}','2026-11-27 10:00:07.436096');
INSERT INTO events VALUES(13,'job_e61722e17ccd460987b6fec3f850cce4','queued','{}','2026-11-27 10:00:07.438567');
INSERT INTO events VALUES(14,'job_e61722e17ccd460987b6fec3f850cce4','failed','{"error": {"code": "unreadable_pdf", "status": 422, "message": "x", "retryable": false}, "timings": {}, "warnings": []}','2026-11-27 10:00:07.440362');
INSERT INTO events VALUES(15,'job_fc80cbd2c3644233b0ed569ee41a2c25','queued','{}','2026-11-27 10:00:07.442813');
INSERT INTO events VALUES(16,'job_ef47181ec3a74d488941cafc377dc0b5','queued','{}','2026-11-27 10:00:07.445091');
INSERT INTO events VALUES(17,'job_fc80cbd2c3644233b0ed569ee41a2c25','running','{"num_pages": 1, "pages": 1, "warnings": []}','2026-11-27 10:00:07.447182');
INSERT INTO events VALUES(18,'job_fc80cbd2c3644233b0ed569ee41a2c25','page','{"number": 1, "status": "succeeded", "timings": {}, "warnings": []}','2026-11-27 10:00:07.448642');
INSERT INTO events VALUES(19,'job_fc80cbd2c3644233b0ed569ee41a2c25','succeeded','{"error": null, "timings": {"total_s": 2.0}, "warnings": []}','2026-11-27 10:00:07.449893');
CREATE TABLE webhooks (
	id VARCHAR(40) NOT NULL, 
	job_id VARCHAR(40) NOT NULL, 
	subscription JSON NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
INSERT INTO webhooks VALUES('2cb65d76fde14e2e8651ba70141f1089','job_a093372375444c5d910e16e29e208e94','{"webhook": {"url": "https://example.com/hook", "secret": "0123456789abcdef", "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {}, "docling_task": null, "order": null}');
INSERT INTO webhooks VALUES('b44d968fc7744c6cada1b80fedce2f96','job_02298d8f38b74fb299f02eb33f5c8060','{"webhook": {"url": "https://example.com/other", "secret": null, "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {}, "docling_task": null, "order": null}');
INSERT INTO webhooks VALUES('0dbc55bc95ac4f8ca64fa05a83e76068','job_fc80cbd2c3644233b0ed569ee41a2c25','{"webhook": {"url": "https://example.com/docling", "secret": null, "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {"authorization": "Bearer x"}, "docling_task": "job_fc80cbd2c3644233b0ed569ee41a2c25.job_ef47181ec3a74d488941cafc377dc0b5~e30", "order": "7d72da905dff485cad4ee1ed3332160d"}');
INSERT INTO webhooks VALUES('e222d43798c042c9bc67e96790100b74','job_ef47181ec3a74d488941cafc377dc0b5','{"webhook": {"url": "https://example.com/docling", "secret": null, "events": ["succeeded", "partial", "failed", "cancelled"]}, "headers": {"authorization": "Bearer x"}, "docling_task": "job_fc80cbd2c3644233b0ed569ee41a2c25.job_ef47181ec3a74d488941cafc377dc0b5~e30", "order": "7d72da905dff485cad4ee1ed3332160d"}');
CREATE TABLE extractions (
	id VARCHAR(40) NOT NULL, 
	namespace VARCHAR(200) NOT NULL, 
	document_id VARCHAR(200) NOT NULL, 
	job_id VARCHAR(40) NOT NULL, 
	revision INTEGER NOT NULL, 
	schema JSON NOT NULL, 
	pages TEXT, 
	status VARCHAR(20) NOT NULL, 
	attempt INTEGER NOT NULL, 
	calls_done INTEGER NOT NULL, 
	calls_total INTEGER, 
	result TEXT, 
	error JSON, 
	created_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	PRIMARY KEY (id), 
	FOREIGN KEY(job_id) REFERENCES jobs (id) ON DELETE CASCADE
);
INSERT INTO extractions VALUES('ext_3cea9e805f0a44adb0a70de96d7df365','tenant','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','job_a093372375444c5d910e16e29e208e94',1,'{"type": "object", "properties": {"total": {"type": "number"}}}','1','succeeded',1,2,2,'{"values": {"total": 3}}','null','2026-11-27 10:00:07.454532','2026-11-27 10:00:07.461055');
INSERT INTO extractions VALUES('ext_55470e7eb4624240a0ca52b35253512e','tenant','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','job_a093372375444c5d910e16e29e208e94',1,'{"type": "object", "properties": {"total": {"type": "number"}}}','1','running',1,1,4,NULL,NULL,'2026-11-27 10:00:07.462950',NULL);
INSERT INTO extractions VALUES('ext_266ef56c544b45f0a8dbd0eeb8077e5c','tenant','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','job_a093372375444c5d910e16e29e208e94',1,'{"type": "object", "properties": {"total": {"type": "number"}}}','1','queued',0,0,NULL,NULL,NULL,'2026-11-27 10:00:07.466607',NULL);
INSERT INTO extractions VALUES('ext_adc6c4fafde54dfdbf04ddac81b5059f','tenant','aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa','job_a093372375444c5d910e16e29e208e94',1,'{"type": "object", "properties": {"total": {"type": "number"}}}','1','failed',0,0,NULL,NULL,'{"code": "no_model", "status": 422, "message": "y", "retryable": false}','2026-11-27 10:00:07.467830','2026-11-27 10:00:07.468725');
CREATE INDEX jobs_by_document ON jobs (namespace, document_id, revision);
CREATE INDEX jobs_by_blob ON jobs (sha256);
CREATE INDEX jobs_by_request ON jobs (namespace, request_key);
CREATE INDEX jobs_by_status ON jobs (status);
CREATE INDEX deliveries_by_time ON deliveries (dead, next_at);
CREATE INDEX deliveries_by_namespace ON deliveries (namespace, dead);
CREATE INDEX submissions_by_job ON submissions (job_id);
CREATE INDEX events_by_job ON events (job_id, id);
CREATE INDEX webhooks_by_job ON webhooks (job_id);
CREATE INDEX extractions_by_document ON extractions (namespace, document_id);
CREATE INDEX extractions_by_status ON extractions (status);
CREATE INDEX extractions_by_job ON extractions (job_id);
COMMIT;
