// Loaded before anything else, so that a Node that is too old gets an explanation instead of a syntax error.
import { checkNode } from './node-version';

const features = process.features as { require_module?: boolean };
const problem = checkNode(process.versions.node, Boolean(features.require_module));
if (problem) {
  process.stderr.write(`greenroom: ${problem}\n`);
  process.exit(1);
}
