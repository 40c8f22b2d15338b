import type { ButtonHTMLAttributes, MouseEvent, Ref } from 'react'

type Look = 'plain' | 'primary' | 'danger' | 'danger primary' | 'quiet'

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  look?: Look
  small?: boolean
  busy?: boolean
  /** takes no clicks, and keeps the focus, so that a tip can say why */
  refused?: boolean
  ref?: Ref<HTMLButtonElement>
}

/** A button. While it is `busy` it takes no clicks but keeps the focus, which the browser takes from a disabled one. */
export function Button({
  look = 'plain',
  small = false,
  busy = false,
  refused = false,
  className,
  disabled,
  type = 'button',
  onClick,
  ...rest
}: Props) {
  const classes = ['btn', look === 'plain' ? '' : look, small ? 'small' : '', className ?? ''].filter(Boolean).join(' ')
  return (
    <button
      {...rest}
      type={type}
      className={classes}
      disabled={disabled}
      aria-busy={busy || undefined}
      aria-disabled={busy || refused || undefined}
      onClick={busy || refused ? refuse : onClick}
    />
  )
}

function refuse(event: MouseEvent): void {
  event.preventDefault()
  event.stopPropagation()
}
