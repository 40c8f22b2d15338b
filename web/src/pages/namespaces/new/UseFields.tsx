import { useState } from 'react'
import { Card } from '../../../ui/Card'
import type { NamespaceForm } from './fields'
import { emptyForm } from './form'
import { uses, withUse } from './uses'
import { t } from '../../../language/text'

/** What the namespace is for. A choice fills in the settings below, which stay free. */
export function UseFields({ set }: { set: (part: Partial<NamespaceForm>) => void }) {
  const [chosen, setChosen] = useState<string>()
  return (
    <Card title={t('Use')} aside={t('fills in the settings below')}>
      <fieldset className="choices">
        <legend className="visually-hidden">{t('What the namespace is for')}</legend>
        {uses.map((use) => (
          <label key={use.name} className="choice">
            <input
              type="radio"
              name="use"
              checked={chosen === use.name}
              onChange={() => {
                setChosen(use.name)
                set(withUse(use, emptyForm))
              }}
            />
            <span>
              <strong>{use.name}</strong>
              <span className="mute">{use.words}</span>
            </span>
          </label>
        ))}
      </fieldset>
    </Card>
  )
}
