export async function importFolder(_args: readonly string[]): Promise<number> {
  return 1
}
