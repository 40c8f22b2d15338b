import { TextField } from '../../ui/inputs'
import { t } from '../../language/text'

interface Props {
  value: string
  onChange: (value: string) => void
  /** Unset: the app alone has codes yet. */
  recovery?: boolean
  autoFocus?: boolean
}

/** A code of the authenticator app, or a recovery code. */
export function CodeField({ value, onChange, recovery = false, autoFocus = false }: Props) {
  return (
    <TextField
      label={t('Code')}
      hint={recovery ? t('Of your authenticator app, or a recovery code') : t('The 6 digits that the app shows')}
      value={value}
      onChange={onChange}
      autoComplete="one-time-code"
      autoCapitalize="none"
      autoFocus={autoFocus}
      mono
      required
    />
  )
}
