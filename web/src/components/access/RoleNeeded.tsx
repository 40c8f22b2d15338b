import { type Operation, roleNeeded } from '../../api/may'

interface Props {
  /** begins the sentence, such as "Changing them" */
  what: string
  operation: Operation
}

/** Says which role it takes to do what the page does not offer. */
export function RoleNeeded({ what, operation }: Props) {
  return (
    <p className="mute small">
      {what} needs the role <b>{roleNeeded(operation)}</b>.
    </p>
  )
}
