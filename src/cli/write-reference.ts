import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { referenceYaml } from '../reference/yaml.ts'

writeFileSync(join(import.meta.dirname, '../../reference/openapi.yaml'), referenceYaml())
