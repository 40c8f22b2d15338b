import { Switch as Base } from '@base-ui/react/switch'
import type { ReactNode } from 'react'

interface Props {
  label: string
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  children?: ReactNode
}

/** An on/off switch. `children` is shown next to it; `label` is its accessible name. */
export function Switch({ label, checked, disabled = false, onChange, children }: Props) {
  return (
    <Base.Root
      nativeButton
      render={<button type="button" />}
      className="switch"
      aria-label={label}
      checked={checked}
      disabled={disabled}
      onCheckedChange={onChange}
    >
      <Base.Thumb render={<i aria-hidden="true" />} />
      {children}
    </Base.Root>
  )
}
