import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventsPage } from '../reference/events.ts'
import { referenceYaml } from '../reference/yaml.ts'

const FOLDER = join(import.meta.dirname, '../../reference')

writeFileSync(join(FOLDER, 'openapi.yaml'), referenceYaml())
writeFileSync(join(FOLDER, 'events.md'), eventsPage())
