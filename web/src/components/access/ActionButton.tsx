import { useQuery } from '@tanstack/react-query'
import type { ComponentProps } from 'react'
import { changesSomething, mayDo, type Operation, type Place } from '../../api/may'
import { meQuery } from '../../api/queries'
import { useReadOnly } from '../../api/use-read-only'
import { t } from '../../language/text'
import { Button } from '../../ui/Button'
import { Tip } from '../../ui/Tip'

interface Props extends ComponentProps<typeof Button> {
  operation: Operation
  place?: Place
}

/**
 * The button of an operation. A caller whose role may not do it sees none. On a read-only server it is there, refuses
 * clicks, and says why to the pointer, the keyboard and screen readers.
 */
export function ActionButton({ operation, place, ...button }: Props) {
  const me = useQuery(meQuery()).data
  const isReadOnly = useReadOnly()
  if (!mayDo(me, operation, place)) return null
  if (isReadOnly !== true || !changesSomething(operation)) return <Button {...button} />
  return (
    <Tip text={t('This server is read-only')}>
      <Button {...button} refused />
    </Tip>
  )
}
