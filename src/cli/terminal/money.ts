/** An amount as a person reads it: $3.21, $0.0042, −$0.05. */
export function formatUsd(usd: number): string {
  const amount = Math.abs(usd);
  const digits = amount > 0 && amount < 0.1 ? 4 : 2;
  const shown = amount.toFixed(digits);
  const sign = usd < 0 && Number(shown) > 0 ? "−" : "";
  return `${sign}$${Number(shown) === 0 ? "0.00" : shown}`;
}
