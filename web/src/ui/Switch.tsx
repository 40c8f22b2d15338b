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
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={checked}
      aria-label={label}
      disabled={disabled}
      onClick={() => onChange(!checked)}
    >
      <i aria-hidden="true" />
      {children}
    </button>
  )
}
