/** How many files one request names: their ids stand in its address. */
const AT_ONCE = 100

/** Does something with files, as many at a time as a request can name. */
export async function inChunks(
  assets: readonly { readonly id: string }[],
  work: (ids: readonly string[]) => Promise<unknown>,
): Promise<void> {
  for (let at = 0; at < assets.length; at += AT_ONCE) await work(assets.slice(at, at + AT_ONCE).map(({ id }) => id))
}
