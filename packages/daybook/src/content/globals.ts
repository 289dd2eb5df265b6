import type { Caller } from '../auth/adapter.ts'
import type { GlobalModel } from '../model/model.ts'
import { readEntryQuery } from '../query/entry-query.ts'
import type { LocaleChoice } from '../query/locale.ts'
import type { Params } from '../query/params.ts'
import type { GlobalRow } from '../store/read.ts'
import { demandRead, demandWrite, hiddenFields, queryScope } from './access.ts'
import { checkBody } from './body.ts'
import { demandRequired, keptOf, mergeFields, reshape, settleFields, type Values } from './document.ts'
import { allReferences, toCanonical, translationsOf } from './draft.ts'
import { type Answer, actorOf, type Engine, type RunWrite } from './engine.ts'
import { expandedVariant } from './entries.ts'
import { presentExpanded } from './expand.ts'
import { fieldRights, isBlind, requireWritable, withoutUnwritable } from './field-access.ts'
import { chosenValues, DEFAULT_LOCALE, demandLocale } from './locale.ts'
import { type Canonical, translate } from './localized.ts'
import { project, storedValues, tagOf, toAnswer, withSystem } from './present.ts'
import { demandTargets } from './references.ts'
import { demandPreconditions, documentTag, type Preconditions } from './tags.ts'

/** The row of a global that was never written: its fields are empty, its revision is 0. */
function blankRow(global: GlobalModel): GlobalRow {
  const doc = JSON.stringify(withSystem(global, { key: global.key }, reshape(global, {})))
  return { key: global.key, seq: 0, shape: global.shape, kept: null, locales: null, doc }
}

/**
 * Reads a global; one that was never written has empty fields.
 *
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN
 */
export async function readGlobal(engine: Engine, global: GlobalModel, params: Params, caller: Caller): Promise<Answer> {
  const choice = demandLocale(engine.model, params, caller)
  await demandRead(engine.model, global, caller)
  const row = inLocale(engine, global, (await engine.store.read.global(global.key)) ?? blankRow(global), choice)
  const hidden = hiddenFields(global, caller)
  if (params.size === 0) return toAnswer(global, row, { hidden })
  const scope = await queryScope(engine.model, caller, choice)
  const shape = readEntryQuery(global, params, scope)
  const variant = await expandedVariant(engine, global, shape, scope, caller)
  const [json = ''] = await presentExpanded(engine, global, [row], shape, scope)
  return { json, tag: documentTag(row.seq, variant), seq: row.seq }
}

/** A stored global in the language that is asked for. */
function inLocale({ model }: Engine, global: GlobalModel, row: GlobalRow, choice: LocaleChoice): GlobalRow {
  if (!model.locales || global.localized.size === 0) return row
  const values = chosenValues(model, global, toCanonical(storedValues(global, row), row.locales), choice)
  const doc = JSON.stringify(withSystem(global, { key: global.key }, mergeFields(global, {}, values)))
  return { ...row, doc, shape: global.shape, kept: null }
}

/**
 * Changes the fields of a global that the body names.
 *
 * @param locale the one that is written; `undefined`: the config's default
 * @throws VALIDATION_ERROR, UNAUTHORIZED, FORBIDDEN, PRECONDITION_REQUIRED, PRECONDITION_FAILED
 */
export async function writeGlobal(
  engine: Engine,
  global: GlobalModel,
  body: unknown,
  caller: Caller,
  { locale = engine.model.locales?.default, ...options }: Preconditions & { readonly locale?: string | undefined } = {},
  run: RunWrite = (work) => engine.store.transaction(work),
): Promise<Answer> {
  const rights = fieldRights(global, caller)
  const input = checkBody(global, 'update', body, rights)
  const found = await engine.store.read.global(global.key)
  await demandRead(engine.model, global, caller)
  await demandWrite(engine.model, global, 'update', caller)
  const scope = await queryScope(engine.model, caller, DEFAULT_LOCALE)
  // A global that was never written has no version to name: If-None-Match: * says as much.
  const isRequired = global.requireIfMatch && options.ifNoneMatch === undefined
  const demandCurrent = (row: GlobalRow): void =>
    demandPreconditions(options, row.seq, tagOf(global, row.seq, rights), isRequired)
  demandCurrent(found ?? blankRow(global))
  const own: LocaleChoice = { locale, chain: locale === undefined ? undefined : [locale], isAll: false }
  const usual: LocaleChoice = { ...own, chain: undefined }
  const ownValues = (row: GlobalRow): Values => chosenValues(engine.model, global, canonicalOf(global, row), own)
  const before = found && project(global, ownValues(found), rights)
  const given = withoutUnwritable(global, caller, input, before)
  const patch = await settleFields(global, given, before, engine.tools)
  return run(async (writer) => {
    const stored = await writer.read.global(global.key)
    const row = stored ?? blankRow(global)
    demandCurrent(row)
    if (!stored) requireWritable(global, patch, rights, caller)
    const current = canonicalOf(global, row)
    const values = mergeFields(global, ownValues(row), patch)
    const canonical = translate(global, current, values, locale, engine.model.locales?.default)
    const shown = chosenValues(engine.model, global, canonical, usual)
    demandRequired(global, shown, { hidden: rights.hidden, given: patch })
    const before = allReferences(engine.model, global, current)
    await demandTargets(writer.read, global, { values, given: patch, before }, scope)
    const next = { ...toRow(global, canonical), kept: keptOf(global, row) }
    const isUnchanged = stored && !isBlind(given, rights) && isSame(stored, next)
    if (isUnchanged) return toAnswer(global, inLocale(engine, global, stored, usual), rights)
    const references = allReferences(engine.model, global, canonical)
    const seq = await writer.writeGlobal(stored, next, references, new Date().toISOString(), actorOf(caller))
    return toAnswer(global, inLocale(engine, global, { ...next, seq }, usual), rights)
  })
}

/** Whether a write would change nothing. What an older config wrote is always brought up to date, whatever it holds. */
function isSame(stored: GlobalRow, next: Omit<GlobalRow, 'seq'>): boolean {
  return stored.shape === next.shape && stored.doc === next.doc && stored.locales === next.locales
}

const canonicalOf = (global: GlobalModel, row: GlobalRow): Canonical =>
  toCanonical(storedValues(global, row), row.locales)

function toRow(global: GlobalModel, canonical: Canonical): Omit<GlobalRow, 'seq' | 'kept'> {
  const doc = JSON.stringify(withSystem(global, { key: global.key }, mergeFields(global, {}, canonical.values)))
  return { key: global.key, shape: global.shape, locales: translationsOf(canonical), doc }
}
