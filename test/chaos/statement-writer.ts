/** Asks a model of constant cost again and again, and tells of each request before it is paid and after its reply is kept. */
import { createEngine } from "../../src/index.ts";
import { openStore } from "./open-store.ts";

const [place = "", first = "0"] = process.argv.slice(2);
const store = openStore(JSON.parse(place));
const model = { model: "claude-sonnet-4-5", contextWindow: 10_000, maxTokens: 1_000 };
const session = await createEngine({ ...model, store }).session("task");
for (let turn = Number(first); ; turn++) {
  await session.append({ role: "user", content: `ask ${turn}: ${"apple ".repeat(200)}` });
  await session.prepare();
  process.stdout.write(`paying ${turn}\n`);
  session.observe({ inputTokens: 1_000, outputTokens: 10 });
  await session.append({ role: "assistant", content: `reply ${turn}: ${"pear ".repeat(200)}` });
  process.stdout.write(`paid ${turn}\n`);
}
