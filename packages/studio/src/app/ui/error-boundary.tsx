import { Component, type ReactNode } from 'react'

export interface ErrorBoundaryProps {
  readonly children: ReactNode
  /** Rendered in place of children that failed. */
  readonly fallback: (error: unknown, retry: () => void) => ReactNode
}

/** Contains render errors of its children. */
export class ErrorBoundary extends Component<
  ErrorBoundaryProps,
  { readonly failure: { readonly error: unknown } | null }
> {
  override state: { readonly failure: { readonly error: unknown } | null } = { failure: null }

  static getDerivedStateFromError(error: unknown): { readonly failure: { readonly error: unknown } } {
    return { failure: { error } }
  }

  readonly #retry = (): void => this.setState({ failure: null })

  override render(): ReactNode {
    const { failure } = this.state
    return failure ? this.props.fallback(failure.error, this.#retry) : this.props.children
  }
}
