/**
 * The servers that Pi was connected to: nothing is sent to any other, whatever the environment says. `whoknows connect pi`
 * writes them beside this package, where no environment leads elsewhere.
 */

import { readFileSync } from "node:fs";

const NOTED = new URL("../servers", import.meta.url);

/** Why nothing may be sent to `url`, as one word for the log; `undefined` where it may. */
export function whyNot(url: string, noted: URL | string = NOTED): "other_server" | "no_server" | undefined {
  const known = lines(noted).flatMap((line) => address(line) ?? []);
  if (known.length === 0) return "no_server";
  const wanted = address(url);
  return wanted !== undefined && known.includes(wanted) ? undefined : "other_server";
}

/** All of an address counts, its path too; `undefined` for what is more than that. */
function address(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { protocol, host, pathname, username, password, search, hash } = new URL(url);
  if (!/^https?:$/.test(protocol) || username || password || search || hash) return undefined;
  return `${protocol}//${host}${pathname.replace(/\/+$/, "")}`;
}

function lines(noted: URL | string): string[] {
  try {
    return readFileSync(noted, "utf8").split("\n").filter((line) => line.trim());
  } catch {
    return [];
  }
}
