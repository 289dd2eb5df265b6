import { type FaultReport, type Field, type FieldPlace, isGuarded, isRecord } from '../fields/field.ts'
import { findNearest } from '../nearest.ts'
import { SHOW_IF_OPERATORS } from '../show-if.ts'

/** Reports faults of the condition on which a field is shown. */
export function checkShowIf({ type, options }: Field, place: FieldPlace, report: FaultReport): void {
  const { showIf } = options
  if (showIf === undefined) return
  const path = `${place.path}.showIf`
  if (type.role !== undefined) report.add(path, `is not allowed, because every entry has a ${type.role}. Leave it out`)
  if (!isRecord(showIf) || Object.keys(showIf).length === 0) {
    report.add(path, "must be conditions on the fields beside it, such as { kind: 'event' }")
    return
  }
  for (const [key, condition] of Object.entries(showIf)) checkCondition(key, condition, place, report)
}

function checkCondition(key: string, condition: unknown, place: FieldPlace, report: FaultReport): void {
  const path = `${place.path}.showIf.${key}`
  const sibling = Object.hasOwn(place.siblings, key) ? place.siblings[key] : undefined
  const fault = findSiblingFault(key, sibling, place)
  if (fault !== undefined) report.add(path, fault)
  else checkOperators(condition, sibling as Field, path, report)
}

/** Returns the fault of the field on which a condition depends, or `undefined` if it is valid. */
function findSiblingFault(key: string, sibling: Field | undefined, { path, siblings }: FieldPlace): string | undefined {
  const ownKey = path.split('.').at(-1)
  if (!isRecord(sibling?.type) || !isRecord(sibling.options) || key === ownKey) {
    const keys = Object.keys(siblings).filter((other) => other !== ownKey)
    const meant = findNearest(key, keys)
    const advice = meant ?? (keys.length > 0 ? `one of: ${keys.join(', ')}` : 'a field of the same group')
    return `is not a field beside this one. Use ${advice}`
  }
  if (!isComparable(sibling)) return 'must be a field with one text, number, date, choice or reference'
  return isGuarded(sibling)
    ? 'must be a field without access.read, because the required fields would tell what it contains'
    : undefined
}

/** Returns true if a field has one comparable value, even without an index. */
const isComparable = ({ type, options }: Field): boolean => type.scalar?.({ ...options, index: true }) !== undefined

function checkOperators(condition: unknown, sibling: Field, path: string, report: FaultReport): void {
  const operators = isRecord(condition) ? condition : { eq: condition }
  if (Object.keys(operators).length === 0)
    report.add(path, "must have a value, or operators, such as { in: ['event'] }")
  for (const [operator, operand] of Object.entries(operators)) {
    const place = isRecord(condition) ? `${path}.${operator}` : path
    const fault = findOperandFault(operator, operand, sibling)
    if (fault !== undefined) report.add(place, fault)
  }
}

function findOperandFault(operator: string, operand: unknown, { type, options }: Field): string | undefined {
  if (!SHOW_IF_OPERATORS.includes(operator))
    return `is not an operator of showIf. Use one of: ${SHOW_IF_OPERATORS.join(', ')}`
  if (operator === 'exists') return typeof operand === 'boolean' ? undefined : 'must be true or false'
  const isList = operator === 'in' || operator === 'nin'
  const values = isList && Array.isArray(operand) ? operand : [operand]
  if (isList && (!Array.isArray(operand) || operand.length === 0)) return 'must be a list of values'
  const invalid = values.find((value) => !type.accepts(value, options))
  if (invalid === undefined) return undefined
  const choices = type.choices?.(options)
  return `has ${JSON.stringify(invalid)}, which is not a value of that field${choices ? `. Use one of: ${choices.join(', ')}` : ''}`
}
