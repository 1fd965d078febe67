#!/usr/bin/env node
import './launcher/node-gate';
import { runCommandLine } from './cli/command-line';

void runCommandLine(process.argv);
