/**
 * Backstory inside Pi: every model call planned by a Python process beside Pi, `/context` commands, and model tools.
 *
 * All decisions are made over there. This file wires Pi's events, commands and tools to it and carries out questions
 * and appends; `lining` names messages, `edits` changes them, `sidecar` looks after the process. Whatever fails here
 * leaves Pi's own request as it was; only a privacy policy that cannot be enforced stops a request.
 */
import { appendFileSync } from "node:fs";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { carried, edit, type Edit } from "./edits.ts";
import { likely, lined, NOTHING } from "./lining.ts";
import { env, settings, Sidecar, type Json } from "./sidecar.ts";

const UNCERTAIN = "what was to be kept may be in the session's log, so look before it is written again";
const CONTEXT_MS = env("DEADLINE_MS", 3_000);
const COMMAND_MS = 60_000;
const READERS = new Set(["read", "grep", "find", "ls"]);

type Planned = { edits?: Edit[]; need?: number[]; manifest?: string; guarded?: boolean };

/** Notes why something was left undone, for whoever looks for the reason; nothing is noted otherwise. */
function note(what: string, error: unknown): void {
  const file = process.env.BACKSTORY_PI_TRACE;
  if (file) appendFileSync(file, `${new Date().toISOString()} ${what}: ${(error as Error).message}\n`);
}

/** The state of Pi that goes with every request; how full it thinks it is takes long to find out in a long session. */
function state(ctx: ExtensionContext, asked = false): Json {
  const { sessionManager: session, model } = ctx;
  const file = session.getSessionFile();
  return {
    source: "pi",
    session: session.getSessionId(),
    file: file ?? null,
    leaf: session.getLeafId() ?? null,
    cwd: ctx.cwd,
    trusted: ctx.isProjectTrusted(),
    mode: ctx.mode,
    ui: ctx.hasUI,
    ephemeral: file === undefined,
    used: asked ? (ctx.getContextUsage()?.tokens ?? null) : null,
    model: model && {
      provider: model.provider,
      id: model.id,
      window: model.contextWindow,
      max_output: model.maxTokens,
      prices: {
        input: model.cost.input,
        output: model.cost.output,
        cache_read: model.cost.cacheRead,
        cache_write: model.cost.cacheWrite,
      },
    },
  };
}

/** Whether this is the only copy of the extension in this Pi: one for the user and one for the project may both load. */
function alone(): boolean {
  const slots = globalThis as { [key: symbol]: string | undefined };
  const slot = Symbol.for("backstory.pi");
  slots[slot] ??= import.meta.url.replace(/[?#].*$/, "");
  return slots[slot] === import.meta.url.replace(/[?#].*$/, "");
}

export default function backstory(pi: ExtensionAPI): void {
  if (process.env.BACKSTORY_PI === "off" || !alone()) return;
  const config = settings();
  const sidecar = new Sidecar(config);
  const calls = new Map<string, Json>();
  let sent: { generation: number; list: string[] } = { generation: 0, list: [] };
  let last = NOTHING;
  let told: { base?: string; edits: Edit[] } = { edits: [] };
  let chosen: string | undefined;
  let manifest: string | undefined;
  let fixed: { of: string; tools: number; names: string[] } = { of: "", tools: 0, names: [] };

  // Pi's two versions differ in what they know; a handler of an event that one of them lacks is never called there.
  const on = (name: string, handler: (event: any, ctx: ExtensionContext) => unknown): void => {
    (pi.on as (name: string, handler: unknown) => unknown)(name, handler);
  };

  /** Characters that go with every request beside its messages, and the names of its tools. */
  function around(ctx: ExtensionContext): Json {
    const active = pi.getActiveTools();
    const of = active.join();
    if (fixed.of !== of) {
      const tools = pi.getAllTools().filter((tool) => active.includes(tool.name));
      const told = tools.map(({ name, description, parameters }) => ({ name, description, parameters }));
      fixed = { of, tools: JSON.stringify(told).length, names: told.map((tool) => tool.name) };
    }
    return { system: ctx.getSystemPrompt().length, tools: fixed.tools, names: fixed.names };
  }

  async function ask(ctx: ExtensionContext, list: string[], more: Json = {}): Promise<Planned> {
    if (!sidecar.start()) throw new Error(sidecar.trouble);
    const known = sent.generation === sidecar.generation ? sent.list : [];
    let keep = 0;
    while (keep < known.length && known[keep] === list[keep]) keep += 1;
    const generation = sidecar.generation;
    const base = sidecar.capabilities.has("again") ? told.base : undefined;
    const what = { keep, entries: list.slice(keep), base, switch: chosen, ...more };
    sent = { generation: 0, list: [] };
    const params = { call: state(ctx), ...what, fixed: around(ctx) };
    const answer: Planned = await sidecar.call("context", params, CONTEXT_MS, ctx.signal);
    sent = { generation, list };
    return answer;
  }

  /**
   * Asks for the plan of a list whose beginning is taken to be that of the last one, and looks at every message while the
   * other side plans. A list that turns out to be another one is asked about anew.
   */
  async function planned(ctx: ExtensionContext, spoken: Json[]): Promise<Planned> {
    const entries = ctx.sessionManager.buildContextEntries();
    const begun = sidecar.capabilities.has("instead") ? likely(last, entries, spoken) : NOTHING;
    const guess = lined(entries, spoken, begun);
    const asked = ask(ctx, guess.names);
    asked.catch(() => {});
    last = begun.untouched ? lined(entries, spoken) : guess;
    const names = last.names;
    const right = names.every((name, at) => name === guess.names[at]);
    if (!right) {
      sidecar.recall();
      await asked.catch(() => {});
    }
    const answer = await (right ? asked : ask(ctx, names, { instead: true }));
    if (!answer.need?.length) return answer;
    return ask(ctx, names, { messages: Object.fromEntries(answer.need.map((at) => [at, spoken[at]])) });
  }

  async function plan(event: { messages: Json[] }, ctx: ExtensionContext): Promise<{ messages: any } | undefined> {
    manifest = undefined;
    try {
      const answer = await planned(ctx, event.messages.filter(carried));
      sidecar.well(answer.guarded);
      manifest = answer.manifest;
      chosen = undefined;
      if (!answer.edits?.length) return undefined;
      const edits = answer.edits.map((one) => ("again" in one ? (told.edits[one.again] ?? one) : one));
      told = { base: manifest, edits: edits.filter((one) => "insert" in one || "replace" in one) };
      return { messages: edit(event.messages, edits) };
    } catch (error) {
      note("context", error);
      return undefined;
    }
  }

  /** Does what the other side asks for, step by step, until it has said its last word. */
  async function follow(first: Json, ctx: ExtensionContext, signal?: AbortSignal): Promise<Json> {
    let step = first;
    let appended = false;
    while (step.step !== "say") {
      appended ||= step.step === "append";
      const answer = step.step === "confirm" ? await confirm(step, ctx, signal) : append(step, ctx);
      const params = { token: step.token, answer: { ...answer, call: state(ctx) } };
      try {
        step = await sidecar.call("resume", params, COMMAND_MS);
      } catch (error) {
        if (appended) throw new Error(`${(error as Error).message}; ${UNCERTAIN}`);
        throw error;
      }
    }
    return step;
  }

  async function confirm(step: Json, ctx: ExtensionContext, signal?: AbortSignal): Promise<Json> {
    const accepted = ctx.hasUI && (await ctx.ui.confirm(step.title, step.message, { signal }));
    return { answer: "confirmed", accepted: accepted === true, aborted: signal?.aborted === true };
  }

  function append(step: Json, ctx: ExtensionContext): Json {
    const entryIds: string[] = [];
    if (step.leaf && step.leaf !== ctx.sessionManager.getLeafId()) return { answer: "appended", problem: "moved" };
    try {
      for (const entry of step.entries) {
        pi.appendEntry(entry.customType, entry.data);
        entryIds.push(ctx.sessionManager.getLeafId() ?? "");
      }
    } catch {
      return { answer: "appended", entryIds, problem: "failed" };
    }
    return { answer: "appended", entryIds };
  }

  /** Shows a person what a command says; without a screen it goes to standard error, as standard output is Pi's. */
  function show(text: string, level: string, ctx: ExtensionContext): void {
    if (ctx.hasUI) ctx.ui.notify(text, level as "info" | "warning" | "error");
    else process.stderr.write(`${text}\n`);
  }

  function tell(name: string, ctx: ExtensionContext, detail: Json = {}): void {
    try {
      sidecar.tell(name, { call: state(ctx), ...detail });
    } catch {
      // A session that was just replaced cannot be asked for its state any more.
    }
  }

  on("context", (event, ctx) => ("buildSessionProjection" in ctx.sessionManager ? undefined : plan(event, ctx)));
  on("context_with_system", plan);
  on("before_provider_request", async (event, ctx) => {
    if (!sidecar.guarded) return undefined;
    try {
      const asked = { call: state(ctx), payload: event.payload, manifest };
      const answer = await sidecar.call("payload", asked, CONTEXT_MS, ctx.signal);
      return answer.payload ?? undefined;
    } catch (error) {
      note("payload", error);
      return {};
    }
  });
  on("message_end", ({ message }, ctx) => {
    if (message.role !== "assistant" || !manifest || ["error", "aborted"].includes(message.stopReason)) return;
    const { input = 0, cacheRead = 0, cacheWrite = 0, output = 0 } = message.usage ?? {};
    const usage = { input, cache_read: cacheRead, cache_write: cacheWrite, output };
    tell("answered", ctx, { manifest, usage });
    manifest = undefined;
  });
  on("tool_execution_start", ({ toolCallId, args }) => void calls.set(toolCallId, args));
  on("tool_execution_end", ({ toolCallId, toolName }, ctx) => {
    const args = calls.get(toolCallId);
    calls.delete(toolCallId);
    if (READERS.has(toolName) || config.tools.some((tool) => tool.name === toolName)) return;
    const named = ["write", "edit"].includes(toolName) && typeof args?.path === "string";
    tell("changed", ctx, { paths: named ? [args?.path] : null });
  });
  on("session_start", (_, ctx) => tell("session", ctx, { event: "start" }));
  on("session_tree", (_, ctx) => tell("session", ctx, { event: "tree" }));
  on("session_compact", (_, ctx) => tell("session", ctx, { event: "compact" }));
  on("model_select", ({ source }, ctx) => {
    chosen = source;
    tell("session", ctx, { event: "model" });
  });
  on("agent_settled", (_, ctx) => tell("session", ctx, { event: "settled" }));
  on("session_shutdown", () => sidecar.close());

  pi.registerCommand("context", {
    description: "Backstory: what the model is given, what it remembers, and why (/context help)",
    handler: async (line, ctx) => {
      try {
        const first = await sidecar.call("command", { call: state(ctx, true), line }, COMMAND_MS);
        const said = await follow(first, ctx);
        show(said.text, said.level, ctx);
      } catch (error) {
        show(`Backstory does not answer: ${(error as Error).message}. "backstory pi doctor" finds out why.`, "error", ctx);
      }
    },
  });

  for (const { name, label, description, parameters, sequential } of config.tools) {
    pi.registerTool({
      name,
      label,
      description,
      parameters: parameters as any,
      executionMode: sequential ? "sequential" : "parallel",
      async execute(_id, params, signal, _update, ctx) {
        try {
          const first = await sidecar.call("tool", { call: state(ctx), name, arguments: params }, COMMAND_MS, signal);
          const said = await follow(first, ctx, signal);
          return { content: [{ type: "text", text: said.text }], details: said.data ?? {} };
        } catch (error) {
          const text = `Backstory is not available: ${(error as Error).message}. Go on without it.`;
          return { content: [{ type: "text", text }], details: { available: false } };
        }
      },
    });
  }
}
