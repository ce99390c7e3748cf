/** One line for each fault, in the file that the other programs' hooks write to as well. */

import { constants } from "node:fs";
import { mkdir, open, rename, stat } from "node:fs/promises";

const LONGEST = 262_144;
/** Not through a link, and not waiting for the reader of a pipe. */
const FLAGS = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export interface Line {
  readonly event: string;
  readonly code: string;
  readonly milliseconds: number;
  /** What a person can do, where it is always the same. */
  readonly advice?: string;
}

/** Never fails, and never says what was asked: a memory that is away is no reason to disturb the work. */
export async function log(stateDir: string, line: Line): Promise<void> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    const path = `${stateDir}/hook.log`;
    const size = await stat(path).then((s) => s.size, () => 0);
    if (size > LONGEST) await rename(path, `${path}.1`);
    const at = new Date().toISOString().replace(/\.\d+Z$/, "Z");
    const advice = line.advice === undefined ? "" : ` ${line.advice}`;
    const text = `${at} pi ${line.event} ${line.code} ${Math.round(line.milliseconds)}ms${advice}\n`;
    const file = await open(path, FLAGS, 0o600);
    try {
      await file.write(text);
    } finally {
      await file.close();
    }
  } catch {
    // No place for a log: there is nobody to tell.
  }
}
