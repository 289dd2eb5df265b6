// The lean floor: what a server could do at most on tables that hold its answers' documents in the order of its lists.
import { readFileSync } from 'node:fs'
import type { LeanPlan } from '../load/plan.ts'
import { serveBare } from './bare-server.ts'
import { openLean } from './lean-store.ts'

const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as LeanPlan
const store = await openLean(plan.engine, plan.address)

await serveBare({
  lists: new Map(Object.entries(plan.pages).map(([path, page]) => [path, () => store.page(page)])),
  entry: store.entry,
  insert: store.insert,
})
