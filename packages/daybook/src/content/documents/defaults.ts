import type { Caller } from '../../auth/adapter.ts'
import { DaybookError } from '../../errors.ts'
import { type DefaultRequest, type DefaultRule, type Field, isRecord } from '../../fields/field.ts'
import type { DocumentModel } from '../../model/model.ts'
import { nestWriteSchema } from '../../model/schema.ts'
import { refuseHostile, toPlainJson } from './plain-json.ts'

/** Evaluates the default functions of the config for one write. */
export class Defaults {
  readonly #document: DocumentModel
  readonly #caller: Caller
  /** The time that all defaults of the write share. */
  #now: string | undefined

  constructor(document: DocumentModel, caller: Caller) {
    this.#document = document
    this.#caller = caller
  }

  /**
   * Evaluates the default of an omitted field; `undefined` if the function returns no value.
   *
   * @param path the field's dotted path, for the log
   * @throws INTERNAL_ERROR if the function fails or returns an invalid value; only the log has the details
   */
  evaluate(field: Field, path: string, rule: DefaultRule): unknown {
    const { kind, key } = this.#document
    try {
      return this.#toValidValue(field, rule(this.#request()))
    } catch (error) {
      const name = `${kind}s.${key}.fields.${path}.default`
      throw new DaybookError('INTERNAL_ERROR', undefined, {}, new Error(`The default ${name} failed`, { cause: error }))
    }
  }

  #request(): DefaultRequest {
    const { identity, principal } = this.#caller
    this.#now ??= new Date().toISOString()
    return { identity, principal, now: this.#now }
  }

  #toValidValue(field: Field, result: unknown): unknown {
    if (result === null || result === undefined) return undefined
    if (isRecord(result) && typeof result.then === 'function') {
      Promise.resolve(result).catch(() => {})
      throw new TypeError('It must return a value at once, but returned a promise')
    }
    const value = toPlainJson(result)
    refuseHostile(value)
    const validator = this.#document.validators.getForField(field, () =>
      field.type.schema(field.options, nestWriteSchema),
    )
    const [issue] = validator(value)
    if (issue) throw new TypeError(`It returned a value that the field does not accept. ${issue.message}`)
    return value
  }
}
