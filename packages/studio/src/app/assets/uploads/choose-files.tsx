import { type ReactNode, useRef } from 'react'
import { Button, type ButtonVariant } from '../../ui/controls/button.tsx'

/** What {@link ChooseFiles} takes. */
export interface ChooseFilesProps {
  readonly children: string
  readonly onFiles: (files: readonly File[]) => void
  /** @default true */
  readonly isMany?: boolean
  readonly variant?: ButtonVariant
}

/** A button that opens the system's dialog for choosing files. */
export function ChooseFiles({ children, onFiles, isMany = true, variant = 'secondary' }: ChooseFilesProps): ReactNode {
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button variant={variant} icon="upload" onPress={() => input.current?.click()}>
        {children}
      </Button>
      <input
        ref={input}
        type="file"
        multiple={isMany}
        hidden
        aria-label={children}
        onChange={({ target }) => {
          onFiles([...(target.files ?? [])])
          // The same file can be chosen again.
          target.value = ''
        }}
      />
    </>
  )
}
