import { DaybookError } from '@daybook/client'

/** Whether the service has something of that name already. */
export const isConflict = (error: unknown): boolean => error instanceof DaybookError && error.code === 'CONFLICT'
