import { changesSomething, type Operation, roleNeeded } from '../../api/may'
import { useReadOnly } from '../../api/use-read-only'
import { t } from '../../language/text'
import { Say } from '../../language/Say'
import { roleNames } from '../api-words'

interface Props {
  /** begins the sentence, such as "Changing them" */
  what: string
  operation: Operation
}

/** Says what it takes to do what the page does not offer: a role, or a server that takes changes. */
export function RoleNeeded({ what, operation }: Props) {
  const isReadOnly = useReadOnly()
  return (
    <p className="mute small">
      {isReadOnly === true && changesSomething(operation) ? (
        <>{t('{what} is not possible: this server is read-only.', { what })}</>
      ) : (
        <>
          <Say
            text="{what} needs the role <b>{operation}</b>."
            values={{ what, operation: roleNames(roleNeeded(operation)) }}
          />
        </>
      )}
    </p>
  )
}
