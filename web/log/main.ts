import { mount } from 'svelte';
import 'uplot/dist/uPlot.min.css';
import '../shared/theme.css';
import '../shared/parts.css';
import App from './App.svelte';

mount(App, { target: document.getElementById('app') as HTMLElement });
