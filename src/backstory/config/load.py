"""Puts the settings of all sources together: defaults, the person's files, a trusted project's, the environment.

Later sources win value by value; options of a command come last and are laid over the result by their commands. Of a
project's privacy settings only what is stricter counts, whatever the environment says. Nothing here is fatal: a value
that cannot be used is told and its default stands. The exception is privacy, where what cannot be understood withholds
everything until it is mended.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any

import msgspec

from backstory.config import checks, ds4, files, keys, tighten
from backstory.config.keys import Fault, Path
from backstory.config.paths import Folder, pi_folder, settings_file
from backstory.errors import InvalidConfigError
from backstory.records.config import Config
from backstory.records.privacy import LOCKED
from backstory.records.problem import Problem
from backstory.records.settings import ConfigFile, Loaded

PROJECT_FILE = ".backstory/config.toml"
VARIABLE = "BACKSTORY_"
_LOCK = "; nothing may go to any provider until this is mended"
_SEMANTIC = "retrieval.semantic: there is no semantic search yet; nothing is enabled by this"


class SettingsSource(msgspec.Struct):
    """What one source says: values by path, and whether it leaves privacy unclear."""

    origin: str
    path: str
    values: dict[Path, Any]
    locked: bool = False


class _Loading:
    def __init__(self) -> None:
        self.sources: list[SettingsSource] = []
        self.files: list[ConfigFile] = []
        self.problems: list[Problem] = []
        self.notes: list[Problem] = []

    def file(self, origin: str, path: FilePath) -> None:
        name = str(path)
        try:
            document = files.read(name)
        except InvalidConfigError as error:
            text = files.text_of(name)
            locked = text is None or "privacy" in text.lower()
            self.files.append(ConfigFile(origin, name, found=True))
            self.sources.append(SettingsSource(origin, name, {}, locked))
            self.problems.append(Problem(name, f"{error}{_LOCK if locked else '; its settings are left aside'}"))
            return
        self.files.append(ConfigFile(origin, name, found=document is not None))
        if document is None:
            return
        named: dict[Path, Path] = {}
        strange: list[Fault] = []
        tables: Mapping[str, Any] = document.tables
        foreign = path.name == ds4.NAME
        if foreign:
            tables, named, strange = ds4.read(tables)
        values, faults = keys.read(tables)
        told = [Fault(named.get(fault.path, fault.path), fault.reason) for fault in faults]
        lines = [(fault, files.line_of(document, fault.path, toml=not foreign)) for fault in (*strange, *told)]
        # What only another engine understands is no mistake; of privacy nothing may stay unclear.
        aside = [one for one in lines if one[0] in strange and one[0].path[0] != "privacy"]
        self.notes += (Problem(_where(name, line), _said(fault)) for fault, line in aside)
        self._take(origin, name, values, [one for one in lines if one not in aside])

    def environment(self, env: Mapping[str, str]) -> None:
        tables: dict[str, Any] = {}
        for name, value in sorted(env.items()):
            path = _variable(name)
            if len(path) == 2:
                tables.setdefault(path[0], {})[path[1]] = value
            elif path:
                tables[path[0]] = value
        if tables:
            values, faults = keys.read(tables, text=True)
            self._take("environment", "environment", values, [(fault, None) for fault in faults])

    def _take(
        self, origin: str, path: str, values: dict[Path, Any], faults: Iterable[tuple[Fault, int | None]]
    ) -> None:
        locked = False
        for fault, line in faults:
            private = fault.path[0] == "privacy"
            locked |= private
            self.problems.append(Problem(_where(path, line), f"{_said(fault)}{_LOCK if private else ''}"))
        self.sources.append(SettingsSource(origin, path, values, locked))

    def merged(self) -> Loaded:
        values: dict[Path, Any] = {}
        origins: dict[str, str] = {}
        config = Config()
        for source in self.sources:
            ours = {path: value for path, value in source.values.items() if not _projects(source, path)}
            config, wrong = self._sound(source, values, ours)
            kept = {path: value for path, value in ours.items() if path[0] not in wrong}
            values |= kept
            origins |= {keys.dotted(path): source.origin for path in kept}
        config, private = self._private(config)
        origins |= private
        if config.retrieval.semantic:
            self.problems.append(Problem("settings", _SEMANTIC))
        return Loaded(config, origins, tuple(self.files), tuple(self.problems), tuple(self.notes))

    def _sound(
        self, source: SettingsSource, values: Mapping[Path, Any], ours: Mapping[Path, Any]
    ) -> tuple[Config, set[str]]:
        """The settings with what a source says, without the sections that would contradict themselves."""
        config = keys.build({**values, **ours})
        wrong = checks.config(config)
        for section, reason in wrong.items():
            source.locked |= section == "privacy"
            end = _LOCK if section == "privacy" else "; what this source says about it is left aside"
            self.problems.append(Problem(source.path, f"{reason}{end}"))
        if wrong:
            config = keys.build({**values, **{path: one for path, one in ours.items() if path[0] not in wrong}})
        return config, set(wrong)

    def _private(self, config: Config) -> tuple[Config, dict[str, str]]:
        """The settings with privacy as strict as any project asks for, and where what that changed comes from."""
        policy = config.privacy
        origins: dict[str, str] = {}
        for source in self.sources:
            if source.origin.endswith("project"):
                stricter = tighten.tightened(policy, self._levels_only(source))
                for name in stricter.__struct_fields__:
                    if getattr(stricter, name) != getattr(policy, name):
                        origins[f"privacy.{name}"] = source.origin
                policy = stricter
        closed = next((source for source in self.sources if source.locked), None)
        if closed is not None:
            policy = LOCKED
            origins |= dict.fromkeys((f"privacy.{name}" for name in policy.__struct_fields__), f"locked: {closed.path}")
        return msgspec.structs.replace(config, privacy=policy), origins

    def _levels_only(self, source: SettingsSource) -> dict[Path, Any]:
        """A project's word on privacy; what makes no sense locks."""
        said = {path: value for path, value in source.values.items() if path[0] == "privacy"}
        wrong = checks.config(keys.build(said)).get("privacy") if said else None
        if wrong is None:
            return said
        source.locked = True
        self.problems.append(Problem(source.path, f"{wrong}{_LOCK}"))
        return {}


def load(home: Folder, env: Mapping[str, str], project: FilePath | None = None) -> Loaded:
    """The effective settings. `project` is the root of a project that is trusted; no other may be given."""
    loading = _Loading()
    loading.file("ds4-user", FilePath(pi_folder(env), ds4.NAME))
    loading.file("user", FilePath(settings_file(home, env)))
    if env.get("BACKSTORY_CONFIG") and not loading.files[-1].found:
        loading.problems.append(Problem(loading.files[-1].path, "BACKSTORY_CONFIG names this file, but there is none"))
    if project is not None:
        loading.file("ds4-project", project / ".pi" / ds4.NAME)
        loading.file("project", project / PROJECT_FILE)
    loading.environment(env)
    return loading.merged()


def _where(path: str, line: int | None) -> str:
    return f"{path}:{line}" if line else path


def _said(fault: Fault) -> str:
    return f"{keys.dotted(fault.path)}: {fault.reason}"


def _variable(name: str) -> Path:
    """The setting that an environment variable names, () for a variable of another meaning."""
    if not name.startswith(VARIABLE):
        return ()
    first, _, rest = name.removeprefix(VARIABLE).lower().partition("_")
    if first not in Config.__struct_fields__ or first == "models":
        return ()
    return (first, rest) if rest else (first,)


def _projects(source: SettingsSource, path: Path) -> bool:
    """Whether a value is a project's word on privacy, which is taken apart from the others."""
    return source.origin.endswith("project") and path[0] == "privacy"
