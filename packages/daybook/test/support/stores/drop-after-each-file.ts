// For test files that share a process: modules are loaded once there, and so is what they do after all tests of a file.
import { afterAll } from 'vitest'
import { dropStores } from './stores.ts'

afterAll(dropStores)
