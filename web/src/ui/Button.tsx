import type { ButtonHTMLAttributes } from 'react'

type Look = 'plain' | 'primary' | 'danger' | 'danger primary' | 'quiet'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  small?: boolean
  busy?: boolean
}

/** A button; `busy` disables it and says so to screen readers. */
export function Button({
  look = 'plain',
  small = false,
  busy = false,
  className,
  disabled,
  type = 'button',
  ...rest
}: Props) {
  const classes = ['btn', look === 'plain' ? '' : look, small ? 'small' : '', className ?? ''].filter(Boolean).join(' ')
  return (
    <button
      {...rest}
      type={type}
      className={classes}
      disabled={disabled === true || busy}
      aria-busy={busy || undefined}
    />
  )
}
