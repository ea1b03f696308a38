/// <reference lib="webworker" />
import { answerCalls } from '../../shared/rpc.ts';
import { LogBook } from './workspace.ts';

const book = new LogBook((note) => self.postMessage({ note }));
answerCalls(self as unknown as Parameters<typeof answerCalls>[0], book.functions());
