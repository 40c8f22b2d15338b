import type { ReactNode } from 'react'
import { Page } from '../../shell/Page'
import { Card } from '../../ui/Card'
import { Skeleton } from '../../ui/Skeleton'
import { NoNamespace } from '../namespaces/NoNamespace'
import { StreamCards, type StreamCardsProps } from './StreamCards'

interface Props extends Omit<StreamCardsProps, 'form' | 'plan'> {
  title: string
  /** undefined while loading, empty where there is none */
  ns: string | undefined
  /** end of the sentence "Create one, then …" */
  toDo: string
  form: { title: string; fields: (ns: string) => ReactNode }
  plan: (ns: string) => ReactNode
}

/** A page that reads records. */
export function StreamPage({ title, ns, toDo, form, plan, ...rest }: Props) {
  if (ns === '')
    return (
      <Page title={title}>
        <NoNamespace toDo={toDo} />
      </Page>
    )
  return (
    <Page title={title}>
      {ns === undefined ? (
        <Card>
          <Skeleton lines={6} />
        </Card>
      ) : (
        <StreamCards form={{ title: form.title, fields: form.fields(ns) }} plan={plan(ns)} {...rest} />
      )}
    </Page>
  )
}
