"""The queue's promises."""

from harbour.queue import Queue


def test_two_workers_never_claim_the_same_job(tmp_path):
    path = str(tmp_path / "jobs.db")
    first, second = Queue(path), Queue(path)
    first.add("deliver", {})
    assert first.claim() is not None
    assert second.claim() is None


def test_a_failed_job_is_buried_and_comes_back_only_on_request(tmp_path):
    queue = Queue(str(tmp_path / "jobs.db"))
    id_ = queue.add("deliver", {})
    job = queue.claim()
    queue.bury(job, "DeliveryError: timed out")
    assert queue.claim() is None
    assert queue.requeue(id_)
    assert queue.claim().id == id_
