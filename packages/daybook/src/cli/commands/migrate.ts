export async function migrate(_args: readonly string[]): Promise<number> {
  return 1
}
