import { RoleNeeded } from '../../components/access/RoleNeeded'
import type { Operation } from '../../api/may'
import { needs } from '../../api/roles.gen'
import { useMay } from '../../api/use-may'
import { Card } from '../../ui/Card'
import { Markup } from './Markup'
import type { ApiOperation } from './operations'
import { SchemaTree } from './SchemaTree'
import { TryCard } from './TryCard'
import { t } from '../../language/text'

const isKnown = (id: string): id is Operation => Object.hasOwn(needs, id)

/** One operation: what it does, a form to send it, and the types of its body and answers. */
export function OperationView({ document, operation }: { document: unknown; operation: ApiOperation }) {
  const may = useMay()
  const { id } = operation
  const allowed = !isKnown(id) || may(id)
  return (
    <div className="stack">
      <Card title={<span lang="en">{operation.summary}</span>} aside={<code>{id}</code>}>
        <div className="stack">
          <p className="operation-path">
            <span className={`verb ${operation.method.toLowerCase()}`}>{operation.method}</span>{' '}
            <code>{operation.path}</code>
          </p>
          <p>
            <Markup text={operation.description} />
          </p>
          {isKnown(id) && !allowed && <RoleNeeded what={t('Sending it')} operation={id} />}
        </div>
      </Card>
      <TryCard operation={operation} allowed={allowed} />
      {operation.bodies.slice(0, 1).map(({ type, schema }) => (
        <Card key={type} title={t('Body')} aside={<code>{type}</code>}>
          <SchemaTree document={document} schema={schema} />
        </Card>
      ))}
      <Card title={t('Answers')}>
        <div className="stack">
          {operation.answers.map(({ status, description, type, schema }) => (
            <section key={status} className="stack-small">
              <h3>
                <span className="badge">{status === 'default' ? t('failure') : status}</span>{' '}
                <span lang="en">{description}</span>
              </h3>
              {type !== undefined && <p className="mute small">{type}</p>}
              {schema !== undefined && <SchemaTree document={document} schema={schema} />}
            </section>
          ))}
        </div>
      </Card>
    </div>
  )
}
