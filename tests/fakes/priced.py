"""A session of Pi whose answers were counted and priced, and the plans of its next call."""

from pathlib import Path
from typing import Any

from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import plan
from backstory.engine.planning.call import Terms
from backstory.records.budget import Model, Prices
from backstory.records.config import Config
from backstory.records.planning import Planned, PlanRequest
from backstory.records.settings import Loaded
from tests.fakes.indexed import take_in
from tests.fakes.pi_log import SESSION, PiLog

PRICES = Prices(input=4.0, output=20.0, cache_read=0.1, cache_write=5.0)


class Priced(PiLog):
    """A session whose answers were counted: a constant for what no log shows, and `ratio` tokens for each estimated."""

    def __init__(self, provider: str = "acme", model: str = "one", ratio: float = 1.25) -> None:
        super().__init__()
        self.provider, self.model, self.ratio = provider, model, ratio
        self.chars = 0

    def say(self, role: str, *blocks: dict[str, Any], **more: Any) -> str:
        if role == "assistant":
            prompt = 9_000 + int(self.chars / 4 * self.ratio)
            usage = {"input": prompt, "output": 5, "cacheRead": 0, "cacheWrite": 0}
            cost = {"input": prompt * 4 / 1e6, "output": 5 * 20 / 1e6, "cacheRead": 0, "cacheWrite": 0}
            more |= {"provider": self.provider, "model": self.model, "usage": usage | {"cost": cost}}
        self.chars += 48 + sum(len(str(block.get("text") or block.get("arguments"))) + 16 for block in blocks)
        return super().say(role, *blocks, **more)


def over(tmp_path: Path, log: PiLog) -> Engine:
    log.write(tmp_path / "logs")
    env = {"HOME": str(tmp_path), "BACKSTORY_HOME": str(tmp_path / "home")}
    opened = open_engine(tmp_path / "home", env=env)
    take_in(opened, tmp_path / "logs")
    return opened


def planned(engine: Engine, loaded: Loaded | None = None, *, host: Model | None = None, **more: Any) -> Planned:
    return plan.plan(engine, PlanRequest(session=SESSION, no_sync=True, **more), Terms(loaded, host))


def settings(**sections: Any) -> Loaded:
    return Loaded(Config(**sections))
