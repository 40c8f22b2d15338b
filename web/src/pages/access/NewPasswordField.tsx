import { TextField } from '../../ui/inputs'
import { isPassword, passwordRule } from './password'

interface PasswordProps {
  label: string
  user: string
  value: string
  onChange: (password: string) => void
}

/** A new password. Managers of passwords offer one. */
export function NewPasswordField({ label, user, value, onChange }: PasswordProps) {
  return (
    <TextField
      label={label}
      type="password"
      autoComplete="new-password"
      value={value}
      onChange={onChange}
      hint={passwordRule}
      error={value === '' || isPassword(value, user) ? undefined : passwordRule}
    />
  )
}
