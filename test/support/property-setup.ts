import { fileURLToPath } from "node:url";
import { choosePropertySeed } from "../../scripts/property-seed.ts";

/** One seed for a whole run, told once: every test file takes it from the environment. */
export default function setUpProperties(): void {
  const folder = fileURLToPath(new URL("../..", import.meta.url));
  const seed = choosePropertySeed({ environment: process.env, folder });
  process.env.PALIMPSEST_PROPERTY_SEED = String(seed);
  console.log(`Property tests: PALIMPSEST_PROPERTY_SEED=${seed}`);
}
