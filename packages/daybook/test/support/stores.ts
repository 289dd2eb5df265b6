import type { DaybookConfig } from 'daybook'
import { createTestService, type TestService } from 'daybook/testing'

/** A kind of store that every scenario runs on. */
export interface StoreKind {
  readonly name: string
  /** A service on an empty store of its own. */
  open(config: DaybookConfig): Promise<TestService>
}

/** Every store; a new one is one line here. */
export const STORES: readonly StoreKind[] = [{ name: 'sqlite', open: (config) => createTestService(config) }]
