// Test files that share a process load `stores.ts` once, so its own `afterAll` runs after the first file only.
import { afterAll } from 'vitest'
import { dropStores } from './stores.ts'

afterAll(dropStores)
