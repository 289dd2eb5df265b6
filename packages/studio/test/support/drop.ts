import type { Locator } from 'playwright-core'

export interface DraggedFile {
  readonly name: string
  readonly bytes: Buffer
}

/** Dispatches the events of a drop of files at the right end of an element. */
export async function dropFiles(target: Locator, files: readonly DraggedFile[]): Promise<void> {
  await target.waitFor()
  const page = target.page()
  const encodedFiles = files.map(({ name, bytes }) => ({ name, base64: bytes.toString('base64') }))
  const dataTransfer = await page.evaluateHandle<DataTransfer>(`(() => {
    const drag = new DataTransfer()
    for (const { name, base64 } of ${JSON.stringify(encodedFiles)})
      drag.items.add(new File([Uint8Array.from(atob(base64), (byte) => byte.charCodeAt(0))], name))
    return drag
  })()`)
  const box = await target.boundingBox()
  if (!box) throw new Error('There is nothing to drop files on.')
  const place = { clientX: box.x + box.width - 2, clientY: box.y + box.height / 2 }
  for (const event of ['dragenter', 'dragover', 'drop'])
    await target.dispatchEvent(event, { dataTransfer, bubbles: true, cancelable: true, ...place })
}
