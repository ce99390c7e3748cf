// The official TypeScript client, for a test: lists the tools of URL, calls those it is told to, and prints what came.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { readFileSync } from "node:fs";

const { url, key, calls } = JSON.parse(readFileSync(0, "utf8"));
const headers = { Authorization: `Bearer ${key}`, "X-Machine": "aurora" };
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
const problems = [];
transport.onerror = (error) => problems.push(String(error));
const client = new Client({ name: "test", version: "1" });
await client.connect(transport);
const { tools } = await client.listTools();
const told = [];
const known = {};
for (const { tool, arguments: given, keep } of calls) {
  const filled = JSON.parse(JSON.stringify(given), (_, value) =>
    typeof value === "string" ? value.replace(/\$(\w+)/g, (_, name) => known[name]) : value,
  );
  const result = await client.callTool({ name: tool, arguments: filled });
  if (keep) known[keep] = result.structuredContent.memory_id;
  told.push(result);
}
const about = {
  instructions: client.getInstructions(),
  server: client.getServerVersion(),
  protocol: transport.protocolVersion,
};
await client.close();
console.log(JSON.stringify({ about, tools, told, problems }));
