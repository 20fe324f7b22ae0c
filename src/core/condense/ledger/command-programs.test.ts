import { expect, test } from "vitest";
import { programsOf } from "./command-programs.ts";

test.each<[string, readonly string[]]>([
  ["npm test", ["test"]],
  ["cd /repo/api && npx jest --silent 2>&1 | tail -60", ["jest"]],
  ["pnpm --filter api exec jest --config x.ts", ["jest"]],
  ["mise trust && mise run fmt", ["trust", "fmt"]],
  ["CI=1 timeout 60 go test ./... -run 'TestLamp|TestTide'", ["go test"]],
  ["python -m pytest tests/a.py", ["pytest"]],
  ["node src/sum.ts; git commit -m 'test: build && lint'", ["node src/sum.ts", "git commit"]],
  ["git commit -F - <<'EOF'\nnpm test\nEOF", ["git commit"]],
  ["./scripts/build.sh --all", ["build.sh"]],
  ["cd /repo", []],
  ["", []],
])("the programs of %o are %o", (command, programs) => {
  expect(programsOf(command)).toEqual(programs);
});
