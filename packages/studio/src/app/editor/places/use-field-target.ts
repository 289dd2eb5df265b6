import { useEffect } from 'react'
import { focusField } from './focus-field.ts'

/** Leads to the field that the address names, once the form is there. */
export function useFieldTarget(isLoaded: boolean, field: string | undefined): void {
  useEffect(() => {
    if (isLoaded && field !== undefined) focusField(field)
  }, [isLoaded, field])
}
