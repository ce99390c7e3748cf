/** What the environment says: read once when Pi loads the extension, never from a file. */

import { homedir, hostname } from "node:os";
import { isAbsolute } from "node:path";

export interface Settings {
  /** Address of the server, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly agent: string | undefined;
  readonly machine: string;
  /** Where the log of faults is kept. */
  readonly stateDir: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** `undefined`: there is no key, or the hooks are switched off, and nothing is asked of anybody. */
export function settingsFrom(env: Environment, machine: string = hostname()): Settings | undefined {
  const key = env.WHOKNOWS_KEY?.trim();
  if (!key || env.WHOKNOWS_HOOKS_DISABLED === "1") return undefined;
  const url = (env.WHOKNOWS_URL?.trim() || "http://127.0.0.1:8765").replace(/\/+$/, "");
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  const chosen = env.XDG_STATE_HOME ?? "";
  const state = isAbsolute(chosen) ? chosen : `${env.HOME || homedir()}/.local/state`;
  return { url, key, agent: env.WHOKNOWS_AGENT?.trim() || undefined, machine, stateDir: `${state}/whoknows` };
}
