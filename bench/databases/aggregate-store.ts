import { toRow } from '../../packages/daybook/src/content/writes/row.ts'
import { compileModel } from '../../packages/daybook/src/model/compile.ts'
import type { CollectionModel } from '../../packages/daybook/src/model/model.ts'
import type { WrittenEntry } from '../../packages/daybook/src/store/reads/rows.ts'
import config, { KINDS } from './aggregate.config.ts'
import type { BenchStore, Say } from './databases.ts'
import { prepareStore } from './seed.ts'
import { randomFrom } from './text.ts'

const BATCH = 1000
const FIRST_DAY = Date.parse('2020-01-01')
const DAY_MS = 24 * 60 * 60 * 1000

/** Fills an empty store with small notes, by Daybook's own writer. */
export async function fillNotes(store: BenchStore, entries: number, say: Say): Promise<void> {
  const model = compileModel(config)
  const notes = model.collections.get('notes') as CollectionModel
  const database = await store.open()
  try {
    const opened = await prepareStore(database, model)
    const random = randomFrom(5)
    for (let from = 0; from < entries; from += BATCH) {
      const rows = Array.from({ length: Math.min(BATCH, entries - from) }, (_, index): WrittenEntry => {
        const at = new Date(FIRST_DAY + (from + index) * 1000).toISOString()
        const canonical = { values: noteOf(from + index, random), translations: {} }
        return toRow(model, notes, {
          id: idAt(from + index, at),
          canonical,
          createdAt: at,
          updatedAt: at,
          orphaned: null,
          draft: null,
          createdBy: null,
          updatedBy: null,
        })
      })
      await opened.transaction((writer) => writer.createEntries(notes, rows, 'bench'))
      if ((from + BATCH) % 100_000 === 0) say(`filled ${from + BATCH} of ${entries} notes`)
    }
  } finally {
    await database.close()
  }
}

function noteOf(number: number, random: () => number): Record<string, unknown> {
  const kind = KINDS[Math.floor(random() ** 2 * KINDS.length)]
  return {
    title: `Note ${number}`,
    status: random() < 0.05 ? 'draft' : 'published',
    counted: kind,
    plain: kind,
    price: Math.round(random() * 10_000) / 100,
    day: new Date(FIRST_DAY + Math.floor(random() * 2000) * DAY_MS).toISOString().slice(0, 10),
  }
}

/** An id of that moment (UUIDv7), the same in every run. */
function idAt(number: number, at: string): string {
  const time = Date.parse(at).toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-${number.toString(16).padStart(12, '0')}`
}
