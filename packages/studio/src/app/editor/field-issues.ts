import { createContext, useContext } from 'react'

/** What is wrong with values, by their places with dots between, items by their index: `tags.0.name`. */
export type FieldIssues = ReadonlyMap<string, string>

/** Gives {@link useFieldIssue} to a form. */
export const FieldIssuesContext = createContext<FieldIssues>(new Map())

/** What is wrong with the value at a place itself; `undefined` where nothing is. */
export const useFieldIssue = (place: string): string | undefined => useContext(FieldIssuesContext).get(place)
