#!/usr/bin/env node
import './launcher/node-gate';
import { loadBundled } from '@app/config/program-bundle';

type Program = typeof import('./program');

// oxlint-disable-next-line typescript/no-require-imports -- only where there is no bundle
const { runProgram } = (loadBundled('program') ?? require('./program')) as Program;
void runProgram();
