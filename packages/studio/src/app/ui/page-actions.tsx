import { Children, createContext, Fragment, isValidElement, type ReactNode, useContext, useEffect, useId } from 'react'

/** An action of the present page, which Find offers beside its button or menu. */
export interface PageAction {
  readonly label: string
  readonly run: () => void
}

/** The actions of mounted buttons and menus, by the id of their component, in the order in which they appeared. */
const registry = new Map<string, readonly PageAction[]>()

const ScopeContext = createContext(false)

/** The part of a page whose buttons and menus are also offered by Find. */
export const PageActions = ({ children }: { readonly children: ReactNode }): ReactNode => (
  <ScopeContext value>{children}</ScopeContext>
)

/** Offers actions in Find while the component is mounted inside {@link PageActions}. */
export function usePageActions(actions: readonly PageAction[]): void {
  const isInScope = useContext(ScopeContext)
  const id = useId()
  useEffect(() => {
    if (isInScope) registry.set(id, actions)
  })
  useEffect(() => () => void registry.delete(id), [id])
}

/** Returns the actions that the page offers now. */
export const listPageActions = (): readonly PageAction[] => [...registry.values()].flat()

/** The props of an element that a menu shows as an action. */
interface ActionProps {
  readonly children: string
  readonly onAction: () => void
}

/** Lists the actions of a menu from its elements, which are not mounted while it is closed. */
export const readMenuActions = (items: ReactNode): readonly PageAction[] =>
  Children.toArray(items).flatMap((item) => {
    if (!isValidElement<Partial<ActionProps>>(item)) return []
    const { children, onAction } = item.props
    if (item.type === Fragment) return readMenuActions(children)
    return typeof children === 'string' && onAction ? [{ label: children, run: onAction }] : []
  })
