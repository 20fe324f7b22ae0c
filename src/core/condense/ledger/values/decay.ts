/** What is left of a value of 1 after so many replies, when it is worth half after `halfAge`. */
export function decay(age: number, halfAge: number): number {
  return halfAge / (halfAge + age);
}
