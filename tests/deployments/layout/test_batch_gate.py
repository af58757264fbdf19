"""`deployments.layout.batch_gate`: calls that come while a batch runs are together in the next one."""

import asyncio

from deployments.layout.batch_gate import BatchGate


def test_callers_that_come_while_a_batch_runs_share_the_next_one() -> None:
    """Guards against the collapse into batches of one under random arrivals."""

    async def scenario() -> list[list[int]]:
        gate = BatchGate(4)
        inside: list[int] = []
        releases = [asyncio.Event() for _ in range(7)]

        async def caller(number: int) -> None:
            async with gate.entered():
                inside.append(number)
                await releases[number].wait()

        tasks = [asyncio.create_task(caller(0))]
        await _settled()
        gate.close()
        tasks += [asyncio.create_task(caller(number)) for number in range(1, 7)]
        await _settled()
        alone = list(inside)
        gate.open()
        releases[0].set()
        await _settled()
        together = inside[1:]
        for release in releases:
            release.set()
        await asyncio.gather(*tasks)
        return [alone, together, sorted(inside)]

    assert asyncio.run(scenario()) == [[0], [1, 2, 3, 4], list(range(7))]


def test_nobody_enters_while_a_batch_runs_though_all_its_callers_have_gone() -> None:
    """Guards against a client of many pages that leaves, after which batches queue behind the running one."""

    async def scenario() -> list[int]:
        gate, release = BatchGate(2), asyncio.Event()

        async def hold() -> None:
            async with gate.entered():
                await release.wait()

        leavers = [asyncio.create_task(hold()) for _ in range(2)]
        await _settled()
        gate.close()
        waiting = asyncio.create_task(hold())
        for task in leavers:
            task.cancel()
        await _settled()
        counts = [gate.num_waiting]
        gate.open()
        await _settled()
        counts.append(gate.num_waiting)
        release.set()
        await waiting
        return counts

    assert asyncio.run(scenario()) == [1, 0]


def test_a_cancelled_caller_gives_its_place_to_the_next() -> None:
    """Guards against a gate that loses a place each time a client goes away, and stands still in the end."""

    async def scenario() -> bool:
        gate = BatchGate(1)

        async def hold(release: asyncio.Event) -> None:
            async with gate.entered():
                await release.wait()

        releases = [asyncio.Event() for _ in range(3)]
        tasks = [asyncio.create_task(hold(release)) for release in releases]
        await _settled()
        tasks[1].cancel()  # waits
        tasks[0].cancel()  # is inside
        await _settled()
        releases[2].set()
        await tasks[2]
        return gate.num_waiting == 0

    assert asyncio.run(scenario())


def test_a_gate_that_is_made_wider_lets_in_those_who_wait() -> None:
    """Guards against a batch size that grows at run time while callers wait for the old one."""

    async def scenario() -> tuple[int, int]:
        gate, release = BatchGate(1), asyncio.Event()

        async def hold() -> None:
            async with gate.entered():
                await release.wait()

        tasks = [asyncio.create_task(hold()) for _ in range(4)]
        await _settled()
        before = gate.num_waiting
        gate.resize(3)
        await _settled()
        after = gate.num_waiting
        release.set()
        await asyncio.gather(*tasks)
        return before, after

    assert asyncio.run(scenario()) == (3, 1)


async def _settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)
