<?xml version="1.0" encoding="UTF-8"?>
<!-- ioproof ErrorLog.xslt 1: shows the error log of a run as a table. ioproof writes this file beside its log. -->
<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="html" encoding="UTF-8" indent="no"/>
<xsl:template match="/ERRORLOG">
<html>
<head>
<title>ioproof: error log</title>
<style>
:root { color-scheme: light dark; }
body { font: 13px/1.4 system-ui, sans-serif; margin: 1rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border: 1px solid #8886; padding: .2rem .5rem; text-align: left; vertical-align: top; white-space: nowrap; }
td.text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 9rem; }
td.description { min-width: 34rem; }
th { position: sticky; top: 0; background: Canvas; }
tr.ERROR td { background: #d32f2f40; } tr.WARNING td { background: #f9a82533; }
</style>
</head>
<body>
<h1>Error log</h1>
<p>
<xsl:value-of select="count(ENTRY)"/> entries,
<xsl:value-of select="count(ENTRY[@TYPE='ERROR'])"/> errors,
<xsl:value-of select="count(ENTRY[@TYPE='WARNING'])"/> warnings
</p>
<table>
<tr><th>Type</th><th>Date</th><th>Time</th><th>Tick (ms)</th><th>User</th><th>Description</th><th>UTC</th><th>Local</th><th>CPU</th><th>TID</th>
<th>HRESULT</th><th>System text</th><th>Place</th></tr>
<xsl:for-each select="ENTRY">
<tr class="{@TYPE}">
<td><xsl:value-of select="@TYPE"/></td>
<td><xsl:value-of select="@DATE"/></td>
<td><xsl:value-of select="@TIME"/></td>
<td><xsl:value-of select="@TICK"/></td>
<td><xsl:value-of select="@User"/></td>
<td class="text description"><xsl:value-of select="EXTENDED_DESCRIPTION"/></td>
<td><xsl:value-of select="@UTC"/></td>
<td><xsl:value-of select="@LOCAL"/></td>
<td><xsl:value-of select="@CPU"/></td>
<td><xsl:value-of select="@TID"/></td>
<td><xsl:value-of select="@HRESULT"/></td>
<td class="text"><xsl:value-of select="@SYSTEXT"/></td>
<td title="{@Func}"><xsl:value-of select="concat(@File, ':', @Line)"/></td>
</tr>
</xsl:for-each>
</table>
</body>
</html>
</xsl:template>
</xsl:stylesheet>
